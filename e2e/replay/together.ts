// Work done a few at a time, so that a browser with two processors is busy and not overwhelmed.

export async function together<In, Out>(
  items: readonly In[],
  count: number,
  work: (item: In, lane: number) => Promise<Out>,
): Promise<PromiseSettledResult<Out>[]> {
  const results: PromiseSettledResult<Out>[] = []
  let next = 0
  const worker = async (_: unknown, lane: number) => {
    for (let at = next++; at < items.length; at = next++) {
      ;[results[at]] = (await Promise.allSettled([work(items[at]!, lane)])) as [PromiseSettledResult<Out>]
    }
  }
  await Promise.all(Array.from({ length: count }, worker))
  return results
}
