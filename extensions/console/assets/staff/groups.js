// The groups of a user, which give administrators their privileges.

import { html, nothing } from "../vendor/lit-html.js";
import { ask } from "../session.js";
import { may } from "../privileges.js";
import { entity, humanize } from "../model.js";
import { notice } from "../notice.js";
import { t } from "../words.js";
import { settled } from "../settled.js";

// loadGroups returns the groups that there are, those of the user, and a function that
// saves the membership of a user who has just been created.
export async function loadGroups({ isNew, segments, canDelete, form }) {
  if (!entity("usergroups") || !await may("view", ["usergroups"])) return null;
  const [all, own] = await settled([ask("GET", "/usergroups"), isNew ? { data: {} } : ask("GET", `/users/${encodeURIComponent(segments[1])}/usergroups`)]);
  const list = Object.values(all.data || {});
  if (!list.length) return null;
  const members = new Set(Object.values(own.data || {}).filter((m) => m.status === "A").map((m) => m.usergroup_id));
  const save = async (id) => {
    for (const group of members) await join(id, group, true);
  };
  return { list, members, save, canChange: Boolean(form || canDelete), problem: "" };
}

const join = (user, group, isMember) => ask("PUT", `/users/${encodeURIComponent(user)}/usergroups/${group}`, { body: { status: isMember ? "A" : "F" } });

export function groupEditor(state, refresh) {
  const { groups, isNew, data } = state;
  if (!groups?.canChange) return nothing;
  const kind = isNew ? null : data.user_type === "C" ? "C" : "A";
  const change = async (group, event) => {
    const isMember = event.target.checked;
    groups.problem = "";
    if (!isNew) {
      try {
        await join(state.segments[1], group.usergroup_id, isMember);
        notice(t("Saved."));
      } catch (e) {
        groups.problem = e.message;
        event.target.checked = !isMember;
        return refresh();
      }
    }
    if (isMember) groups.members.add(group.usergroup_id);
    else groups.members.delete(group.usergroup_id);
    const type = isNew && document.getElementById("field-user_type");
    if (type && !type.value) type.value = group.type;
    refresh();
  };
  const row = (group) => html`<li><label class="check"><input type="checkbox" .checked=${groups.members.has(group.usergroup_id)} @change=${(event) => change(group, event)}>
    <span>${group.usergroup}${group.privileges?.length ? html` <small class="summary">${group.privileges.map(humanize).join(", ")}</small>` : nothing}</span></label></li>`;
  const fitting = groups.list.filter((group) => !kind || group.type === kind);
  if (!fitting.length) return nothing;
  return html`<section class="object" aria-labelledby="groups"><h2 id="groups">${t("Groups")}</h2><ul class="ship-lines">${fitting.map(row)}</ul>
    ${groups.problem ? html`<p class="problem" role="alert">${groups.problem}</p>` : nothing}</section>`;
}
