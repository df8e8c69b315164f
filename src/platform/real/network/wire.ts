// One stream between us and a peer, as it is read: greeting, messages, marks.
//
// Invariants: before the greeting is over only one small frame is taken; a stream that does not keep to the format is
// reset, with what it carried. Who sends faster than it may is read more slowly: its own memory fills, not ours. However much has
// come, messages are handled for a moment only before everything else in the process has its turn.

import { type Channel, type Message, MessageTooLarge, type PeerId } from '../../network/network.ts'
import { greetingBytesMax } from '../../network/network-greeting.ts'
import { FrameReader, frame, markFrame, marks } from './frames.ts'
import type { NetworkLimits } from './limits.ts'
import { type Connection, isWritable, type Stream } from './node.ts'
import { Rate } from './rate.ts'

/** Of all streams together. */
const turnMs = 100
const againMs = 1

/** Since when messages have been handled in this turn of the event loop. */
let turnBeganMs: number | undefined

function isTurnOver(): boolean {
  const nowMs = performance.now()
  if (turnBeganMs === undefined) {
    turnBeganMs = nowMs
    setImmediate(() => (turnBeganMs = undefined))
  }
  return nowMs - turnBeganMs > turnMs
}

interface WireEvents {
  /** The first frame of a control stream. Gives whether to go on listening. */
  greeted(wire: Wire, words: Uint8Array): boolean
  message(message: Message): void
  ended(wire: Wire): void
}

export class Wire {
  readonly peer: PeerId
  readonly channel: Channel
  readonly stream: Stream
  readonly connection: Connection
  readonly isOurs: boolean
  /** When the other was last heard, in any way, by the monotonic clock. */
  heardAtMs = performance.now()
  readonly #events: WireEvents
  readonly #limits: NetworkLimits
  readonly #reader: FrameReader
  readonly #messages: Rate
  readonly #bytes: Rate
  #isGreeted: boolean
  #isDeaf = false
  #owesBeat = false
  #pause: NodeJS.Timeout | undefined

  constructor(
    stream: Stream,
    connection: Connection,
    channel: Channel,
    limits: NetworkLimits,
    events: WireEvents,
  ) {
    this.stream = stream
    this.connection = connection
    this.channel = channel
    this.peer = connection.remotePeer.toString()
    this.isOurs = stream.direction === 'outbound'
    this.#events = events
    this.#limits = limits
    this.#isGreeted = channel === 'bulk'
    this.#reader = new FrameReader(this.#isGreeted ? limits.messageBytesMax : greetingBytesMax, (mark) =>
      this.#onMark(mark),
    )
    const nowMs = performance.now()
    this.#messages = new Rate(limits.messagesPerSecondMax, nowMs)
    this.#bytes = new Rate(limits.bytesPerSecondMax, nowMs)
    this.#listen()
  }

  get isOpen(): boolean {
    return isWritable(this.stream)
  }

  /** Words of the greeting. */
  say(words: Uint8Array): void {
    this.stream.send(frame([words]))
  }

  /** Asks for a sign of life. */
  beat(): void {
    if (this.isOpen && this.stream.writeBufferLength < this.#limits.queueBytesMax) {
      this.stream.send(markFrame(marks.beat))
    }
  }

  #listen(): void {
    const { stream } = this
    stream.addEventListener('message', ({ data }) => {
      this.heardAtMs = performance.now()
      // A list of pieces, or one.
      if (data instanceof Uint8Array) this.#reader.add(data)
      else for (const piece of data) this.#reader.add(piece)
      this.#read()
    })
    // The other is done with this stream: so are we.
    stream.addEventListener('remoteCloseWrite', () => {
      stream.close().catch((error) => stream.abort(error))
    })
    stream.addEventListener('close', () => {
      clearTimeout(this.#pause)
      this.#events.ended(this)
    })
  }

  #read(): void {
    if (this.#isDeaf || this.#pause !== undefined) return
    try {
      for (const message of this.#reader.read()) {
        if (this.#isGreeted) this.#events.message({ from: this.peer, bytes: message, channel: this.channel })
        else if (!this.#greet(message)) return
        if (this.channel === 'control' && this.#isTooFast(message.length)) break
        if (isTurnOver()) {
          this.#wait(againMs)
          break
        }
      }
      this.#answerBeat()
    } catch (error) {
      // Whatever the other sent that we cannot take ends this stream, not us.
      this.stream.abort(error as Error)
    }
  }

  #greet(words: Uint8Array): boolean {
    this.#isGreeted = this.#events.greeted(this, words)
    this.#isDeaf = !this.#isGreeted
    this.#reader.messageBytesMax = this.#limits.messageBytesMax
    return this.#isGreeted
  }

  /** Counts a message. Over the rate, the rest is read later, and the other has to wait. */
  #isTooFast(sizeBytes: number): boolean {
    const waitMs = Math.max(
      this.#messages.take(1, this.heardAtMs),
      this.#bytes.take(sizeBytes, this.heardAtMs),
    )
    if (waitMs < 1) return false
    this.#wait(waitMs)
    return true
  }

  /** Reads on later. */
  #wait(waitMs: number): void {
    if (this.stream.readStatus === 'readable') this.stream.pause()
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.heardAtMs = performance.now()
      this.#read()
      if (this.#pause === undefined && this.stream.readStatus === 'paused') this.stream.resume()
    }, waitMs)
  }

  #onMark(mark: number): void {
    if (!this.#isGreeted) throw new MessageTooLarge(mark, greetingBytesMax)
    if (mark === marks.beat) this.#owesBeat = true
  }

  /** One answer to all the beats of one read, and only where there is room: who floods us with beats and reads nothing
   * gets none. */
  #answerBeat(): void {
    if (!this.#owesBeat) return
    this.#owesBeat = false
    if (this.isOpen && this.stream.writeBufferLength < this.#limits.queueBytesMax) {
      this.stream.send(markFrame(marks.beatHeard))
    }
  }
}
