// The images of a product: added by a file or an address, and removed.

import { html, nothing } from "../vendor/lit-html.js";
import { put } from "../change.js";
import { upload } from "../session.js";
import { collection } from "../model.js";
import { image, isPair } from "../format.js";
import { renew } from "../load.js";
import { notice } from "../notice.js";
import { t } from "../words.js";

const canUpload = () => Boolean(collection(["images"]).post);

export function pictureEditor(state, refresh) {
  const own = state.pictureEditor ||= { problem: "", isBusy: false };
  const product = state.data;
  const extra = Object.values(product.image_pairs || {}).filter(isPair);
  const save = async (change) => {
    own.isBusy = true;
    own.problem = "";
    refresh();
    try {
      await put(state, await change());
      await renew(state);
      notice(t("Saved."));
    } catch (e) {
      own.problem = e.status === 412 ? t("Somebody changed the images meanwhile. Look at them again, and then make your change.") : e.message;
    }
    own.isBusy = false;
    refresh();
  };
  const added = (paths) => {
    const pair = (path) => ({ detailed: { image_path: path } });
    const [first, ...rest] = paths;
    const isMain = !isPair(product.main_pair);
    const more = [...extra, ...(isMain ? rest : paths).map(pair)];
    return { ...(isMain ? { main_pair: pair(first) } : {}), ...(more.length > extra.length ? { image_pairs: more } : {}) };
  };
  const addFiles = (files) => files.length && save(async () => {
    const paths = [];
    for (const file of files) paths.push((await upload("/images?entity=products", file)).image_path);
    return added(paths);
  });
  const addAddress = (event) => {
    event.preventDefault();
    const address = event.target.elements.address.value.trim();
    if (address) save(async () => added([address])).then(() => { if (!own.problem) event.target.reset(); });
  };
  const drop = (event) => {
    event.preventDefault();
    event.currentTarget.classList.remove("over");
    if (canUpload()) addFiles([...event.dataTransfer.files]);
  };
  const over = (event) => {
    event.preventDefault();
    event.currentTarget.classList.toggle("over", event.type === "dragover");
  };
  const remove = (pair) => save(async () => (pair === product.main_pair ? { main_pair: null } : { image_pairs: extra.filter((other) => other !== pair) }));
  const figure = (pair) => html`<li>${image(pair, "large")}<button type="button" class="drop" aria-label=${t("Remove this image")} @click=${() => remove(pair)}>×</button></li>`;
  return html`<section class="object pictures-editor" aria-labelledby="pictures" @dragover=${over} @dragleave=${over} @drop=${drop}><h2 id="pictures">${t("Images")}</h2>
    <ul class="pictures">${isPair(product.main_pair) ? figure(product.main_pair) : nothing}${extra.map(figure)}</ul>
    ${own.problem ? html`<p class="problem" role="alert">${own.problem}</p>` : nothing}
    ${canUpload() ? html`<p><label for="image-files">${t("Add images")} <span class="mark">${t("or drop them here")}</span></label>
      <input id="image-files" type="file" accept="image/*" multiple ?disabled=${own.isBusy} @change=${(event) => addFiles([...event.target.files])}></p>` : nothing}
    <form @submit=${addAddress} class="inline"><label class="unseen" for="image-address">${t("Address of an image")}</label>
      <input id="image-address" name="address" type="text" placeholder="https://…" autocomplete="off"><button ?disabled=${own.isBusy}>${t("Add by address")}</button></form></section>`;
}
