// settled waits for all requests of a page, also after one failed: trying again then begins
// with none under way.
export async function settled(requests) {
  const results = await Promise.allSettled(requests);
  const failed = results.find((r) => r.status === "rejected");
  if (failed) throw failed.reason;
  return results.map((r) => r.value);
}
