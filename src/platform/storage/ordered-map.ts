// A sorted map of bytes to values in memory, with snapshots.
//
// Invariants: keys ascend bytewise, over all chunks; no chunk is empty; a snapshot never changes. Keys are kept as strings
// of one character per byte, whose order is that of the bytes and which the engine compares fast. Values given in are
// taken over, not copied.

// Small ones: after a snapshot a chunk is copied whole for the first key that is put into it, and keys come at random.
const chunkEntriesMax = 64

interface Chunk<Value> {
  owner: object
  keys: string[]
  values: Value[]
}

/** What was there at one moment. */
export type Snapshot<Value = Uint8Array> = readonly Readonly<Chunk<Value>>[]

export class OrderedMap<Value = Uint8Array> {
  #chunks: Chunk<Value>[] = []
  // Who may change chunks in place. A snapshot takes that away: what it sees is copied before it is changed.
  #owner = {}
  #chunksOwner = this.#owner

  get(key: string): Value | undefined {
    return valueIn(this.#chunks, key)
  }

  /** Returns what was there before. */
  put(key: string, value: Value): Value | undefined {
    if (this.#chunks.length === 0) {
      this.#changeable().push({ owner: this.#owner, keys: [key], values: [value] })
      return undefined
    }
    const at = chunkAt(this.#chunks, key)
    const chunk = this.#changeableChunk(at)
    const index = indexAt(chunk.keys, key)
    if (chunk.keys[index] === key) {
      const before = chunk.values[index]
      chunk.values[index] = value
      return before
    }
    chunk.keys.splice(index, 0, key)
    chunk.values.splice(index, 0, value)
    if (chunk.keys.length > chunkEntriesMax) this.#split(at)
    return undefined
  }

  /** Returns what was there before. */
  remove(key: string): Value | undefined {
    const before = this.get(key)
    if (before === undefined) return undefined
    const at = chunkAt(this.#chunks, key)
    const chunk = this.#changeableChunk(at)
    const index = indexAt(chunk.keys, key)
    chunk.keys.splice(index, 1)
    chunk.values.splice(index, 1)
    if (chunk.keys.length === 0) this.#changeable().splice(at, 1)
    return before
  }

  /** Whether there is any entry from `from` (included) to `to` (excluded). Unlike a snapshot it costs later changes nothing. */
  hasEntries(from: string | undefined, to: string | undefined): boolean {
    return hasEntries(this.#chunks, from, to)
  }

  /** The first entry from `from` (included) to `to` (excluded), or the last. Costs later changes nothing, either. */
  firstEntry(
    from: string | undefined,
    to: string | undefined,
    isReverse: boolean,
  ): readonly [string, Value] | undefined {
    const cursor = new EntryCursor(this.#chunks, from, to, isReverse)
    return cursor.advance() ? [cursor.key, cursor.value] : undefined
  }

  snapshot(): Snapshot<Value> {
    this.#owner = {}
    return this.#chunks
  }

  #changeable(): Chunk<Value>[] {
    if (this.#chunksOwner !== this.#owner) {
      this.#chunks = this.#chunks.slice()
      this.#chunksOwner = this.#owner
    }
    return this.#chunks
  }

  #changeableChunk(at: number): Chunk<Value> {
    const chunks = this.#changeable()
    const chunk = chunks[at]!
    if (chunk.owner === this.#owner) return chunk
    return (chunks[at] = { owner: this.#owner, keys: chunk.keys.slice(), values: chunk.values.slice() })
  }

  #split(at: number): void {
    const chunk = this.#chunks[at]!
    // Keys often come in order: then the left half stays nearly full.
    const middle = at === this.#chunks.length - 1 ? chunkEntriesMax - 8 : chunkEntriesMax >> 1
    const right = { owner: this.#owner, keys: chunk.keys.splice(middle), values: chunk.values.splice(middle) }
    this.#chunks.splice(at + 1, 0, right)
  }
}

export function valueIn<Value>(snapshot: Snapshot<Value>, key: string): Value | undefined {
  const chunk = snapshot[chunkAt(snapshot, key)]
  if (chunk === undefined) return undefined
  const index = indexAt(chunk.keys, key)
  return chunk.keys[index] === key ? chunk.values[index] : undefined
}

/** Whether there is any entry from `from` (included) to `to` (excluded). */
export function hasEntries(
  snapshot: Snapshot<unknown>,
  from: string | undefined,
  to: string | undefined,
): boolean {
  const [at, index] = first(snapshot, from)
  const chunk = snapshot[at]
  const key = chunk?.keys[index!] ?? snapshot[at + 1]?.keys[0]
  return key !== undefined && (to === undefined || key < to)
}

/** Goes over the entries from `from` (included) to `to` (excluded), or the same backwards: `key` and `value` are those of the entry that
 * it stands at. Where entries are read one by one in great number a generator costs more than the reading. */
export class EntryCursor<Value> {
  key = ''
  value!: Value
  readonly #snapshot: Snapshot<Value>
  readonly #from: string | undefined
  readonly #to: string | undefined
  readonly #isReverse: boolean
  #at: number
  #index: number

  constructor(
    snapshot: Snapshot<Value>,
    from: string | undefined,
    to: string | undefined,
    isReverse: boolean,
  ) {
    this.#snapshot = snapshot
    this.#from = from
    this.#to = to
    this.#isReverse = isReverse
    const [at, index] = isReverse ? before(snapshot, to) : first(snapshot, from)
    this.#at = at
    this.#index = index ?? (snapshot[at]?.keys.length ?? 0) - 1
  }

  /** False when there is none left. */
  advance(): boolean {
    let chunk = this.#snapshot[this.#at]
    while (chunk !== undefined && !(this.#index >= 0 && this.#index < chunk.keys.length)) {
      chunk = this.#snapshot[(this.#at += this.#isReverse ? -1 : 1)]
      this.#index = this.#isReverse && chunk !== undefined ? chunk.keys.length - 1 : 0
    }
    if (chunk === undefined) return false
    const key = chunk.keys[this.#index]!
    if (
      this.#isReverse
        ? this.#from !== undefined && key < this.#from
        : this.#to !== undefined && key >= this.#to
    )
      return false
    this.key = key
    this.value = chunk.values[this.#index]!
    this.#index += this.#isReverse ? -1 : 1
    return true
  }
}

/** The same, for a loop. */
export function* entriesOf<Value>(
  snapshot: Snapshot<Value>,
  from: string | undefined,
  to: string | undefined,
  isReverse: boolean,
): Generator<readonly [string, Value]> {
  const cursor = new EntryCursor(snapshot, from, to, isReverse)
  while (cursor.advance()) yield [cursor.key, cursor.value]
}

function first(snapshot: Snapshot<unknown>, from: string | undefined): [number, number | undefined] {
  if (from === undefined || snapshot.length === 0) return [0, 0]
  const at = chunkAt(snapshot, from)
  return [at, indexAt(snapshot[at]!.keys, from)]
}

function before(snapshot: Snapshot<unknown>, to: string | undefined): [number, number | undefined] {
  if (to === undefined || snapshot.length === 0) return [snapshot.length - 1, undefined]
  const at = chunkAt(snapshot, to)
  return [at, indexAt(snapshot[at]!.keys, to) - 1]
}

/** The chunk that holds the key, or would. */
function chunkAt(chunks: Snapshot<unknown>, key: string): number {
  let low = 0
  let high = chunks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (chunks[middle]!.keys[0]! <= key) low = middle
    else high = middle - 1
  }
  return low
}

/** Where the key is, or would go. */
function indexAt(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}

export function asText(bytes: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length)
}

/** Up to here a loop takes less time than calling the engine. */
const shortMax = 64

/** Bytes of its own, with nothing beside them. */
export function asBytes(text: string): Uint8Array {
  const { length } = text
  const bytes = new Uint8Array(length)
  if (length <= shortMax) {
    for (let at = 0; at < length; at++) bytes[at] = text.charCodeAt(at)
    return bytes
  }
  Buffer.prototype.latin1Write.call(bytes, text, 0)
  return bytes
}
