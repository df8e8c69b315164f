// The first words on a control stream: who dials says hello and is welcomed, or refused, before anything else is said.
//
// Invariants: who is refused gets one word and no more, unless the greeting gives a reason, and not even our hello; no message passes before both ends are content.
// What a hello says, and who is welcome, is for the greeting to know: here it is bytes.

import { PolyhistorError } from '../../errors.ts'
import { type PeerId, PeerRefused } from './network.ts'

/** The other end, as far as the connection itself proves it. */
export interface Stranger {
  /** It holds this identity's key. */
  readonly peer: PeerId
  /** Where it was reached, or where it came from: a multiaddress. */
  readonly address: string
}

export interface Greeting {
  /** What we say when we dial. */
  hello(): Uint8Array
  /** What we say to a hello that was welcome. */
  answer(stranger: Stranger, hello: Uint8Array): Uint8Array
  /** Whether the other is welcome by its hello or answer: throws a PolyhistorError when not. Gives where it says that it
   * can be reached. */
  judge(stranger: Stranger, words: Uint8Array): string[]
  /** What a refused one is told besides, up to `reasonLengthMax` ASCII characters: mostly nothing. */
  explain?(error: PolyhistorError): string
}

/** Admits every peer. */
export const openDoor: Greeting = {
  hello: () => new Uint8Array(),
  answer: () => new Uint8Array(),
  judge: () => [],
}

const welcomeByte = 1
const refusalByte = 0
const reasonLengthMax = 64
/** No hello is larger. */
export const greetingBytesMax = 16 * 1024

interface Verdict {
  /** What to send. */
  readonly words: Uint8Array
  /** Where it can be reached; not given when it is refused. */
  readonly addresses?: string[]
}

/** What we make of a hello. */
export function receive(greeting: Greeting, stranger: Stranger, hello: Uint8Array): Verdict {
  try {
    const addresses = greeting.judge(stranger, hello)
    const answer = greeting.answer(stranger, hello)
    return { words: Buffer.concat([new Uint8Array([welcomeByte]), answer]), addresses }
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    const reason = Buffer.from(greeting.explain?.(error) ?? '').subarray(0, reasonLengthMax)
    return { words: Buffer.concat([new Uint8Array([refusalByte]), reason]) }
  }
}

/** What we make of the answer to our hello. Gives where the other can be reached. */
export function readAnswer(greeting: Greeting, stranger: Stranger, words: Uint8Array): string[] {
  if (words[0] !== welcomeByte) {
    const reason = Buffer.from(words.subarray(1, 1 + reasonLengthMax)).toString('latin1')
    throw new PeerRefused(stranger.peer, 'it does not take us in', /^[a-z-]*$/.test(reason) ? reason : '')
  }
  try {
    return greeting.judge(stranger, words.subarray(1))
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    throw new PeerRefused(stranger.peer, `we do not take it in: ${error.message}`)
  }
}
