// Makes a failing campaign as short as it still can be: which is the longest that keeps all promises?

import { RingViolation } from './ring-violation.ts'

/** Short campaigns are cut by tenths of a minute, long ones by whole minutes. */
const shortMs = 300_000

/** The minutes of faults up to which `run` does not fail. */
export async function lastGoodMinutes(
  run: (minutes: number) => Promise<unknown>,
  { atMs }: RingViolation,
): Promise<number> {
  const parts = atMs < shortMs ? 10 : 1
  for (let count = Math.floor((atMs / 60_000) * parts); count > 0; count--) {
    if (await isGood(run(count / parts))) return count / parts
  }
  return 0
}

async function isGood(run: Promise<unknown>): Promise<boolean> {
  try {
    await run
    return true
  } catch (error) {
    if (error instanceof RingViolation) return false
    throw error
  }
}
