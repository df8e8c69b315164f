// Damages messages: bytes that were right once, changed by chance, so that decoders and what is behind them see everything.

import type { Random } from '../../src/platform/random.ts'

/** Numbers as messages have them: the largest, those around it, and the ends of what others count with. */
const extremes = [
  0,
  1,
  127,
  128,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 48,
  2 ** 50,
  Number.MAX_SAFE_INTEGER,
].map(numberBytes)
const bytesMost = 64 * 1024

/** Mostly one change of one message, up to four: what is changed in many places is mostly refused at the first. `other`: another message, to take a part of. */
export function mutated(random: Random, bytes: Uint8Array, other: Uint8Array): Buffer {
  let changed: Buffer = Buffer.from(bytes)
  const changes = random.below(3) > 0 ? 1 : 2 + random.below(3)
  for (let count = 0; count < changes; count++) changed = changedOnce(random, changed, other)
  return changed.subarray(0, Math.max(bytesMost, bytes.length))
}

function changedOnce(random: Random, bytes: Buffer, other: Uint8Array): Buffer {
  const at = random.below(bytes.length + 1)
  const length = random.below(Math.min(40, bytes.length - at) + 1)
  const [before, behind] = [bytes.subarray(0, at), bytes.subarray(at + length)]
  switch (random.below(12)) {
    case 0:
      return Buffer.from(before)
    case 1:
      return Buffer.concat([bytes, random.bytes(random.below(60))])
    case 2:
      return Buffer.concat([before, extremes[random.below(extremes.length)]!, bytes.subarray(at + 1)])
    case 3:
      return Buffer.concat([before, behind])
    case 4:
      return Buffer.concat([before, bytes.subarray(at, at + length), bytes.subarray(at)])
    case 5: {
      const start = random.below(other.length + 1)
      return Buffer.concat([before, other.subarray(start, start + random.below(60)), behind])
    }
    case 6:
      return Buffer.concat([before, random.bytes(length), behind])
    case 7:
    case 8:
      return withByte(random, bytes, at)
    default:
      // The commonest way to be wrong: a number that is too large, where there was one of one byte.
      return Buffer.concat([before, extremes.at(-1)!, bytes.subarray(at + 1)])
  }
}

function withByte(random: Random, bytes: Buffer, at: number): Buffer {
  if (at === bytes.length) return bytes
  const changed = Buffer.from(bytes)
  changed[at] = [0, 1, 0x7f, 0x80, 0xff, random.below(256), changed[at]! ^ (1 << random.below(8))][
    random.below(7)
  ]!
  return changed
}

/** Seven bits a byte, the lowest first. */
function numberBytes(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}

const jsonValues: readonly unknown[] = [
  null,
  5,
  -1,
  2 ** 53,
  Number.MAX_VALUE,
  '',
  'x',
  'a'.repeat(5_000),
  [],
  {},
  [null],
  [5],
  { x: null },
  true,
  '.*.*.*~',
  '(a+)+$',
  'all',
  '__proto__',
  '\u0000',
]

/** A JSON text with one to three of its values replaced, removed or put elsewhere. */
export function mutatedJson(random: Random, text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  for (let count = 1 + random.below(3); count > 0; count--) value = changedValue(random, value)
  return JSON.stringify(value)
}

function changedValue(random: Random, value: unknown): unknown {
  const isLeaf = typeof value !== 'object' || value === null
  if (isLeaf || random.below(12) === 0) return jsonValues[random.below(jsonValues.length)]
  const keys = Object.keys(value)
  const key = keys[random.below(keys.length)]
  const changed: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...value }
  const fields = changed as Record<string, unknown>
  if (key === undefined) fields.x = jsonValues[random.below(jsonValues.length)]
  else if (random.below(6) === 0) delete fields[key]
  else fields[key] = changedValue(random, fields[key])
  return changed
}
