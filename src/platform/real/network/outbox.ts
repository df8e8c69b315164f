// What is on its way to one peer: a queue in front of one long-lived stream.
//
// Invariants: messages go in the order of sending; at most `queueBytesMax` wait, more are refused; a message is handed
// on only while the stream holds less than it should. When the stream cannot be opened, or ends, all that wait are told,
// and the next message opens a new one. A stream that the other opened serves as well as one of ours; where there are
// both, both ends keep the same one.

import { type PeerId, PeerUnreachable, type Pieces, sizeOf } from '../../network/network.ts'
import { frame, lengthFrame } from './frames.ts'
import { isWritable, type Stream } from './node.ts'

// One write to the stream: small messages are put together, since each write costs a frame and its encryption.
const writeBytesMax = 256 * 1024
// A piece from this size on is not copied to stand with others.
const wholeBytesMin = 32 * 1024
// What the stream may hold before we wait for it to drain.
const streamBytesMax = 1024 * 1024

interface Waiting {
  pieces: Pieces
  sizeBytes: number
  resolve: () => void
  reject: (error: unknown) => void
}

export class Outbox {
  readonly #peer: PeerId
  readonly #openStream: () => Promise<Stream>
  readonly #queueBytesMax: number
  #queue: Waiting[] = []
  #queueBytes = 0
  #stream: Stream | undefined
  #isPumping = false

  constructor(peer: PeerId, openStream: () => Promise<Stream>, queueBytesMax: number) {
    this.#peer = peer
    this.#openStream = openStream
    this.#queueBytesMax = queueBytesMax
  }

  /** Nothing waits, and no stream is open or being opened: it may be forgotten. */
  get isSpent(): boolean {
    return !this.#isPumping && this.#queue.length === 0 && !this.#canSend
  }

  /** The other has opened this stream, or we have: it is used from now on, unless there is one already. `wins` says
   * that both ends keep it also then. */
  adopt(stream: Stream, wins: boolean): void {
    const before = this.#stream
    if (before === stream || !isWritable(stream)) return
    if (before !== undefined && isWritable(before)) {
      if (!wins) return
      // Sends what it still holds first.
      before.close().catch((error) => before.abort(asError(error)))
    }
    this.#stream = stream
  }

  /** There is a better way: a stream of this kind sends what it still holds and is not used any more. */
  leave(isWorse: (stream: Stream) => boolean): void {
    const stream = this.#stream
    if (stream === undefined || !isWorse(stream)) return
    this.#stream = undefined
    stream.close().catch((error) => stream.abort(asError(error)))
  }

  send(pieces: Pieces): Promise<void> {
    const sizeBytes = sizeOf(pieces)
    if (this.#queueBytes + sizeBytes > this.#queueBytesMax) {
      return Promise.reject(new PeerUnreachable(this.#peer, 'too much is waiting to be sent to it'))
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ pieces, sizeBytes, resolve, reject })
      this.#queueBytes += sizeBytes
      if (!this.#isPumping) void this.#pump()
    })
  }

  close(): void {
    this.#stream?.abort(new Error('closed'))
    this.#fail(new PeerUnreachable(this.#peer, 'we have closed'))
  }

  async #pump(): Promise<void> {
    this.#isPumping = true
    try {
      // Who sends in the same turn goes into the same write.
      await Promise.resolve()
      while (this.#queue.length > 0) {
        const stream = await this.#openedStream()
        await untilDrained(stream)
        if (stream !== this.#stream || !this.#canSend) continue
        const batch = this.#takeBatch()
        for (const bytes of written(batch)) stream.send(bytes)
        for (const { resolve } of batch) resolve()
      }
    } catch (error) {
      this.#stream?.abort(asError(error))
      this.#stream = undefined
      this.#fail(asUnreachable(this.#peer, error))
    } finally {
      this.#isPumping = false
    }
  }

  async #openedStream(): Promise<Stream> {
    if (!this.#canSend) this.adopt(await this.#openStream(), false)
    // Meanwhile the other may have opened one that wins over ours.
    if (!this.#canSend) throw new Error('the stream ended')
    return this.#stream!
  }

  get #canSend(): boolean {
    return this.#stream !== undefined && isWritable(this.#stream)
  }

  #takeBatch(): Waiting[] {
    let count = 0
    let bytes = 0
    while (count < this.#queue.length && (count === 0 || bytes < writeBytesMax)) {
      bytes += this.#queue[count++]!.sizeBytes
    }
    this.#queueBytes -= bytes
    return this.#queue.splice(0, count)
  }

  #fail(error: unknown): void {
    const queue = this.#queue
    this.#queue = []
    this.#queueBytes = 0
    for (const { reject } of queue) reject(error)
  }
}

/** What to write, in as few pieces as can be had without copying large ones. */
function written(batch: readonly Waiting[]): Uint8Array[] {
  const isLarge = batch.some(({ sizeBytes }) => sizeBytes >= wholeBytesMin)
  if (!isLarge) return [frame(batch.map(({ pieces }) => pieces))]
  return batch.flatMap(({ pieces, sizeBytes }) => {
    const list = pieces instanceof Uint8Array ? [pieces] : pieces
    const large = list.findIndex(({ length }) => length >= wholeBytesMin)
    if (large < 0) return [frame([pieces])]
    const start = Buffer.concat([lengthFrame(sizeBytes), ...list.slice(0, large)])
    return [start, ...list.slice(large)]
  })
}

/** Resolves when the stream holds little enough, rejects when it ends. The stream's own onDrain() remembers its first
 * answer for ever, so the events are listened to here. */
function untilDrained(stream: Stream): Promise<void> {
  if (stream.writeBufferLength < streamBytesMax) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const settle = (action: () => void): void => {
      stream.removeEventListener('drain', look)
      stream.removeEventListener('idle', look)
      stream.removeEventListener('close', end)
      action()
    }
    // The stream goes on sending just after it has told of the drain.
    const look = (): void =>
      queueMicrotask(() => {
        if (stream.writeBufferLength < streamBytesMax) settle(resolve)
      })
    const end = (): void => settle(() => reject(new Error('the stream ended')))
    stream.addEventListener('drain', look)
    stream.addEventListener('idle', look)
    stream.addEventListener('close', end)
    if (!isWritable(stream)) end()
  })
}

function asUnreachable(peer: PeerId, error: unknown): PeerUnreachable {
  return error instanceof PeerUnreachable ? error : new PeerUnreachable(peer, asError(error).message, error)
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
