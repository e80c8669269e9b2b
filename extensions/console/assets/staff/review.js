// The page of a review: what it is about, approving it, and answering it.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { bodyOf, collection, entity } from "../model.js";
import { may } from "../privileges.js";
import { loadObject, renew } from "../load.js";
import { objectPage } from "../object.js";
import { chip, time } from "../format.js";
import { href } from "../address.js";
import { keyOf } from "../send.js";
import { notice } from "../notice.js";
import { textState } from "../typed.js";
import { t } from "../words.js";
import { kinds } from "../reviewed.js";

export async function loadReview(segments) {
  const state = await loadObject(segments);
  return Object.assign(state, { about: await aboutOf(state.data), reply: { text: "", problem: "" }, canReply: await canReplyTo(state.data) });
}

async function aboutOf({ object_type: type, object_id: id }) {
  const name = kinds[type];
  if (!name || !entity(name) || !await may("view", [name])) return null;
  try {
    const { data } = await ask("GET", `/${name}/${encodeURIComponent(id)}`);
    return { name, id, words: data.product || data.category || data.page || `${t("Order")} ${id}` };
  } catch {
    return null; // it was deleted
  }
}

async function canReplyTo(review) {
  const name = kinds[review.object_type];
  const post = name && collection([name, "0", "discussions"]).post;
  return Boolean(post && bodyOf(post).properties.reply_to) && may("create", [name, review.object_id, "discussions"]);
}

export function reviewPage(state, refresh) {
  const { data: review, about, reply } = state;
  const set = async (status) => {
    try {
      await ask("PUT", `/discussions/${review.post_id}`, { body: { status }, headers: state.etag ? { "If-Match": state.etag } : {} });
      state.problem = "";
    } catch (e) {
      state.problem = e.message;
    }
    try {
      await renew(state);
    } catch (e) {
      state.problem ||= e.message;
    }
    if (!state.problem) notice(t("Saved."));
    refresh();
  };
  const answer = async (event) => {
    event.preventDefault();
    const body = { message: event.target.elements.reply.value.trim(), reply_to: review.post_id };
    if (!body.message) return;
    try {
      await ask("POST", `/${kinds[review.object_type]}/${review.object_id}/discussions`, { body, headers: { "Idempotency-Key": keyOf(reply, body) } });
      Object.assign(reply, { text: "", problem: "" });
      event.target.reset();
      notice(t("The answer is published."));
    } catch (e) {
      reply.problem = e.message;
    }
    refresh();
  };
  return html`<header class="page"><div><p class="kind"><a href=${href(["discussions"])}>${t("Reviews")}</a> · ${time(review.timestamp)}</p>
      <h1 tabindex="-1">${review.name || t("Anonymous")} ${chip(review.status, state.statuses)}</h1>
      ${about ? html`<p class="summary">${t("about")} <a href=${href([about.name, about.id])}>${about.words}</a></p>` : nothing}</div></header>
    ${state.problem ? html`<p class="problem" role="alert">${state.problem}</p>` : nothing}
    <section class="object" aria-label=${t("Review")}>
      ${Number(review.rating_value) ? html`<p class="stars" role="img" aria-label=${t("{n} of 5", { n: review.rating_value })}>${"★".repeat(review.rating_value)}${"☆".repeat(5 - review.rating_value)}</p>` : nothing}
      <p class="text">${review.message || t("No text.")}</p>
      ${state.form ? html`<div class="actions">${review.status === "A" ? html`<button @click=${() => set("D")}>${t("Hide")}</button>` : html`<button class="primary" @click=${() => set("A")}>${t("Approve")}</button>`}</div>` : nothing}</section>
    ${state.canReply ? html`<section class="object" aria-labelledby="answer"><h2 id="answer">${t("Answer as the shop")}</h2><form .formState=${textState("reply", "")} @submit=${answer}>
      <textarea name="reply" rows="3" aria-labelledby="answer" .value=${reply.text}></textarea>
      ${reply.problem ? html`<p class="problem" role="alert">${reply.problem}</p>` : nothing}
      <div class="actions"><button class="primary">${t("Publish the answer")}</button></div></form></section>` : nothing}
    <details class="more all-fields"><summary>${t("All fields")}</summary>${objectPage(state, refresh, { isPart: true })}</details>`;
}
