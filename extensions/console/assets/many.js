// Several requests that change objects: as batches where the API takes those, else one by one.

import { ask, Refused, refused } from "./session.js";
import { isThere, limits } from "./model.js";

// With these statuses a whole batch is refused before any of it is done: it is too large, or its
// addresses are not for batches.
const untaken = [400, 403, 404, 405, 413];

// sendAll sends requests {method, path, query, body}, each for itself, and returns for each why it was
// refused, "" where it was not.
export async function sendAll(requests) {
  if (!isThere("/batch")) return oneByOne(requests);
  const most = limits().batchRequests || 100;
  const problems = [];
  for (let i = 0; i < requests.length; i += most) problems.push(...await together(requests.slice(i, i + most)));
  return problems;
}

async function together(requests) {
  // A text such as {{a.b}} is no reference: it was typed.
  const members = requests.map(({ method, path, query, body }) => ({ method, url: path.slice(1) + (query?.size ? `?${query}` : ""), body, refs: false }));
  try {
    const { data } = await ask("POST", "/batch", { body: { atomic: false, requests: members } });
    return Promise.all(data.responses.map(async ({ status, body }) => (status < 400 ? "" : (await refused(status, body)).message)));
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    return untaken.includes(e.status) ? oneByOne(requests) : requests.map(() => e.message);
  }
}

async function oneByOne(requests) {
  const problems = [];
  for (const { method, path, query, body } of requests) {
    problems.push(await ask(method, path, { query, body }).then(() => "", (e) => {
      if (!(e instanceof Refused)) throw e;
      return e.message;
    }));
  }
  return problems;
}
