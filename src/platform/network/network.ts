// Messages between peers, as the rest of the program may see them.
//
// A message may be lost, come twice, come late or overtake another; it never comes changed, and `from` is who really sent it.
// Answers, deadlines and order are built on top: see calls.ts.

import { PolyhistorError } from '../../errors.ts'

/** Who a peer is: its public key's name, the same wherever it runs. */
export type PeerId = string

export class PeerUnreachable extends PolyhistorError {
  readonly peer: PeerId

  constructor(peer: PeerId, reason: string, cause?: unknown, code = 'peer-unreachable') {
    super(code, `Peer ${peer} cannot be reached: ${reason}`, { retry: 'later', cause })
    this.peer = peer
  }
}

/** It can be reached, and does not take us in, or we do not take it in. */
export class PeerRefused extends PeerUnreachable {
  /** Why, if it said so: a code. */
  readonly refusal: string

  constructor(peer: PeerId, reason: string, refusal = '') {
    super(peer, reason, undefined, 'peer-refused')
    this.refusal = refusal
  }
}

/** The message is larger than the network carries: cut it up, or use a stream. */
export class MessageTooLarge extends PolyhistorError {
  constructor(sizeBytes: number, sizeBytesMax: number) {
    super('message-too-large', `A message of ${sizeBytes} bytes is over the limit of ${sizeBytesMax}`)
  }
}

/** What a message travels with. `control` is for what is small and waited for; `bulk` has a way of its own, so that
 * control never waits behind it. */
export type Channel = 'control' | 'bulk'

/** A message to send: in one piece, or in several that come as one. */
export type Pieces = Uint8Array | readonly Uint8Array[]

export interface Message {
  from: PeerId
  bytes: Uint8Array
  channel: Channel
}

export interface Network {
  readonly self: PeerId
  /** Where others can reach us, in the form that `learn` takes. */
  addresses(): string[]
  /** Tells where a peer can be reached; what was known before is kept too. */
  learn(peer: PeerId, addresses: string[]): void
  /** The largest message it carries. */
  readonly messageBytesMax: number
  /** To another peer, on `control` unless told. The bytes are the network's from now on: they must not change any more. Resolves when the message has
   * been handed on (so that a fast sender waits for a slow wire), which says nothing of its arrival. Rejects with PeerUnreachable when it is known not to arrive, with
   * MessageTooLarge when it is over `messageBytesMax`. */
  send(to: PeerId, bytes: Pieces, channel?: Channel): Promise<void>
  /** One receiver at a time; messages that come while there is none are dropped. The receiver must not throw. */
  receive(receiver: (message: Message) => void): void
  /** Where there are connections: called when the last one to a peer has ended, so that nobody waits for its answers. What
   * was sent may or may not have come. One listener at a time. */
  onLost?(listener: (peer: PeerId) => void): void
  /** Stops sending and receiving. Closing again does nothing. */
  close(): Promise<void>
}

export function sizeOf(pieces: Pieces): number {
  if (pieces instanceof Uint8Array) return pieces.length
  let size = 0
  for (const piece of pieces) size += piece.length
  return size
}
