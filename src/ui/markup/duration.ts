// How far apart two moments are, in the largest unit that fits: `3 hours`, `2 days`.

const dayMs = 86_400_000

const units = [
  ['year', 365.25 * dayMs],
  ['month', 30.4375 * dayMs],
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

export function printDuration(ms: number): string {
  for (const [name, unitMs] of units) {
    const count = Math.floor(ms / unitMs)
    if (count >= 1) return `${count} ${name}${count === 1 ? '' : 's'}`
  }
  return 'less than a minute'
}
