// Page memory: which parts of a page were different at how many of its visits. A small record that is kept beside the page's visits
// and travels with them as bytes.
//
// Bounded: the parts that changed least are forgotten first. Bytes that cannot be read, or are of another version, are an empty
// memory: what was learned is learned again.

import { MessageMalformed, readableOr } from '../../../formats/wire/message-bytes.ts'
import { byte, number, uint } from '../../../formats/wire/message-fields.ts'
import { list, type Out, record, versioned } from '../../../formats/wire/message-schema.ts'

const version = 1
const slotsMax = 64
const blocksMax = 40
/** Of the values that a block had, those before the present one. */
const pastMax = 12
const countMax = 1_000_000

/** A part that is seldom different is forgotten after so many visits. */
const forgetAfter = 8
const forgetShare = 0.2

const slotSchema = record({
  slot: uint(4),
  key: uint(6),
  changes: number(countMax),
  /** The visit at which it was different for the first time. */
  first: number(countMax),
  decreases: byte,
})

const blockSchema = record({
  block: uint(4),
  key: uint(6),
  changes: number(countMax),
  first: number(countMax),
  /** How often it had a value that it had had before and lost. */
  returns: byte,
  past: list(uint(3), pastMax),
})

const schema = versioned(
  version,
  record({
    visits: number(countMax),
    slots: list(slotSchema, slotsMax),
    blocks: list(blockSchema, blocksMax),
  }),
  (theirs) => new MessageMalformed(`a memory of version ${theirs}`),
)

type Changing<T> = { -readonly [K in keyof T]: T[K] }
export type SlotMemory = Changing<Out<typeof slotSchema>>
export type BlockMemory = Changing<Omit<Out<typeof blockSchema>, 'past'>> & { past: readonly number[] }

export class PageMemory {
  /** Visits with a version before them to compare with. */
  visits = 0
  readonly #slots = new Map<number, SlotMemory>()
  readonly #blocks = new Map<number, BlockMemory>()

  /** Whether these are the bytes of one, and not another's that would be an empty one. */
  static isReadable(bytes: Uint8Array): boolean {
    return readableOr(() => schema.decode(bytes), undefined) !== undefined
  }

  static fromBytes(bytes: Uint8Array | undefined): PageMemory {
    const memory = new PageMemory()
    const read = bytes === undefined ? undefined : readableOr(() => schema.decode(bytes), undefined)
    if (read === undefined) return memory
    memory.visits = read.visits
    for (const slot of read.slots) memory.#slots.set(slot.slot, { ...slot })
    for (const block of read.blocks) memory.#blocks.set(block.block, { ...block })
    return memory
  }

  toBytes(): Uint8Array {
    return schema.encode({
      visits: this.visits,
      slots: [...this.#slots.values()],
      blocks: [...this.#blocks.values()],
    })
  }

  slot(slot: number): SlotMemory | undefined {
    return this.#slots.get(slot)
  }

  block(block: number): BlockMemory | undefined {
    return this.#blocks.get(block)
  }

  slots(): Iterable<SlotMemory> {
    return this.#slots.values()
  }

  blocks(): Iterable<BlockMemory> {
    return this.#blocks.values()
  }

  /** Of the visits since it was different for the first time, the share at which it was. */
  shareOf({ changes, first }: { changes: number; first: number }): number {
    return changes / Math.max(1, this.visits - first + 1)
  }

  /** Begins a visit: what is noted from now on belongs to it. */
  nextVisit(): void {
    this.visits = Math.min(this.visits + 1, countMax)
    for (const memories of [this.#slots, this.#blocks]) {
      for (const [key, memory] of memories) {
        const isOld = this.visits - memory.first >= forgetAfter
        if (isOld && this.shareOf(memory) < forgetShare) memories.delete(key)
      }
    }
  }

  noteSlot(slot: number, key: number, isDecrease: boolean): void {
    const known = this.#slots.get(slot) ?? { slot, key, changes: 0, first: this.visits, decreases: 0 }
    known.changes = Math.min(known.changes + 1, countMax)
    if (isDecrease) known.decreases = Math.min(known.decreases + 1, 255)
    put(this.#slots, slot, known, slotsMax)
  }

  noteBlock(block: number, key: number): void {
    const known = this.#blocks.get(block) ?? this.#newBlock(block, key)
    known.changes = Math.min(known.changes + 1, countMax)
    put(this.#blocks, block, known, blocksMax)
  }

  /** A block whose values matter: those that went and those that came. True when one came back. */
  noteValues(block: number, went: readonly number[], came: readonly number[]): boolean {
    const known = this.#blocks.get(block)!
    const isReturn = came.some((value) => known.past.includes(value & 0xffffff))
    if (isReturn) known.returns = Math.min(known.returns + 1, 255)
    known.past = [...new Set([...went.map((value) => value & 0xffffff), ...known.past])].slice(0, pastMax)
    return isReturn
  }

  #newBlock(block: number, key: number): BlockMemory {
    return { block, key, changes: 0, first: this.visits, returns: 0, past: [] }
  }
}

function put<T extends { changes: number }>(
  memories: Map<number, T>,
  key: number,
  memory: T,
  max: number,
): void {
  if (!memories.has(key) && memories.size >= max) {
    let least: number | undefined
    for (const [other, { changes }] of memories) {
      if (least === undefined || changes < memories.get(least)!.changes) least = other
    }
    memories.delete(least!)
  }
  memories.set(key, memory)
}
