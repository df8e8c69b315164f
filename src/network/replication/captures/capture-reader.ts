// Capture reader: reads our captures for sending, as many at a time as fit into a message.
//
// Sizes come from the index, so that nothing is read that does not fit. Buffers are reused: allocating them for every message
// costs both ends more than copying.

import { PolyhistorError } from '../../../errors.ts'
import type { CopyOffer } from '../../../store/copying/copying.ts'
import type { HeldCaptures } from './held-captures.ts'
import { capturesMax, type SentCapture } from './wire/questions.ts'

/** What goes into a message. */
export interface Portion {
  readonly captures: readonly SentCapture[]
  /** Not here (any more), or cannot be read. */
  readonly missing: readonly Uint8Array[]
  /** The first that is not in it. */
  readonly next: Uint8Array | undefined
  /** The bytes of its captures are not needed any more. */
  release(): void
}

interface Planned {
  readonly key: Uint8Array
  readonly offer: CopyOffer | undefined
}

/** A message has about so many bytes of captures. */
export const portionBytesMax = 1024 * 1024
/** That are kept for the next. */
const sparesMax = 8

export class CaptureReader {
  readonly #held: HeldCaptures
  readonly #spares: Uint8Array[] = []

  constructor(needs: { held: HeldCaptures }) {
    this.#held = needs.held
  }

  /** All of them, in the order given. What is larger than a portion is one by itself. */
  async *portions(
    keys: Iterable<Uint8Array>,
    isWhole: boolean,
    bytesMax = portionBytesMax,
  ): AsyncGenerator<Portion> {
    let planned: Planned[] = []
    let size = 0
    for (const key of keys) {
      const offer = this.#offer(key, isWhole)
      const sizeBytes = offer?.sizeBytes ?? 0
      if (planned.length > 0 && (size + sizeBytes > bytesMax || planned.length >= capturesMax)) {
        yield* this.#read(planned, isWhole, bytesMax, key)
        planned = []
        size = 0
      }
      planned.push({ key, offer })
      size += sizeBytes
    }
    if (planned.length > 0) yield* this.#read(planned, isWhole, bytesMax, undefined)
  }

  #offer(key: Uint8Array, isWhole: boolean): CopyOffer | undefined {
    try {
      const cursor = this.#held.roster.cursorOf(key)
      return cursor === undefined ? undefined : this.#held.offer(cursor, { isWhole })
    } catch (error) {
      return unreadable(error)
    }
  }

  async *#read(
    planned: readonly Planned[],
    isWhole: boolean,
    bytesMax: number,
    next: Uint8Array | undefined,
  ): AsyncGenerator<Portion> {
    const memory = this.#spares.pop() ?? Buffer.allocUnsafeSlow(portionBytesMax)
    let at = 0
    const read = await Promise.all(
      planned.map(({ key, offer }) => {
        const start = at
        at += offer?.sizeBytes ?? 0
        return captureOf(key, isWhole, offer, memory.subarray(start, at))
      }),
    )
    const captures = read.filter((capture) => capture !== undefined)
    const missing = planned.flatMap(({ key }, index) => (read[index] === undefined ? [key] : []))
    // Nearly always it is one: only what is made for the asker can be larger than was told.
    const portions = split(captures, bytesMax)
    const release = (): void => {
      if (portions.length === 1 && this.#spares.length < sparesMax) this.#spares.push(memory)
    }
    for (const [index, some] of portions.entries()) {
      const isLast = index === portions.length - 1
      yield {
        captures: some,
        missing: isLast ? missing : [],
        next: isLast ? next : portions[index + 1]![0]!.key,
        release,
      }
    }
  }
}

async function captureOf(
  key: Uint8Array,
  isWhole: boolean,
  offer: CopyOffer | undefined,
  memory: Uint8Array,
): Promise<SentCapture | undefined> {
  try {
    const copy = await offer?.read(memory)
    const said = { key, isWhole, isFirst: offer?.isFirst }
    if (copy === undefined || copy instanceof Uint8Array) return copy && { ...said, bytes: copy }
    return { ...said, bytes: undefined, stored: copy.stored }
  } catch (error) {
    return unreadable(error)
  }
}

/** Damaged here; a scrub heals it from the others. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof PolyhistorError)) throw error
}

/** At least one, which may be empty. What is asked for in pieces takes long: it goes alone. */
function split(captures: readonly SentCapture[], bytesMax: number): SentCapture[][] {
  const portions: SentCapture[][] = [[]]
  let size = 0
  for (const capture of captures) {
    const length = capture.bytes?.length ?? bytesMax
    if (size + length > bytesMax && portions.at(-1)!.length > 0) {
      portions.push([])
      size = 0
    }
    portions.at(-1)!.push(capture)
    size += length
  }
  return portions
}
