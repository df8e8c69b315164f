// Many callers at once: each takes the next of the works until none is left.

/** Works per second. */
export async function rateOf(
  callers: number,
  works: number,
  work: (place: number) => Promise<unknown>,
): Promise<number> {
  const startMs = performance.now()
  await spread(callers, works, work)
  return (works * 1000) / (performance.now() - startMs)
}

export async function spread(
  callers: number,
  works: number,
  work: (place: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const call = async () => {
    while (next < works) await work(next++)
  }
  await Promise.all(Array.from({ length: callers }, call))
}
