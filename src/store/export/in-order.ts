// Works on several items at once and gives the results in the order of the items.

/** At most `width` are under way or waiting to be taken. When the consumer stops, no more are begun. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = []
  try {
    for await (const item of items) {
      const result = work(item)
      // Whoever takes it gets the failure.
      result.catch(() => {})
      underWay.push(result)
      if (underWay.length >= width) yield await underWay.shift()!
    }
    while (underWay.length > 0) yield await underWay.shift()!
  } finally {
    await Promise.allSettled(underWay)
  }
}
