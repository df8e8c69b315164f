// Many callers at once: each takes the next of the works until none is left.

export interface Pace {
  perSecond: number
  /** Of all threads, for one work. It depends less than the rate on who else uses the machine. */
  processorUs: number
}

export async function paceOf(
  callers: number,
  works: number,
  work: (place: number) => Promise<unknown>,
): Promise<Pace> {
  const startMs = performance.now()
  const before = process.cpuUsage()
  await spread(callers, works, work)
  const { user, system } = process.cpuUsage(before)
  return {
    perSecond: (works * 1000) / (performance.now() - startMs),
    processorUs: (user + system) / works,
  }
}

/** Works per second. */
export async function rateOf(
  callers: number,
  works: number,
  work: (place: number) => Promise<unknown>,
): Promise<number> {
  return (await paceOf(callers, works, work)).perSecond
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
