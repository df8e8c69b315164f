// Questions about how we are reached, each on a stream of its own: see reach-messages.ts. Also on connections through a relay.
//
// Invariants: only peers that were admitted are answered; a question is small, an answer is waited for so long and no longer; of each peer
// there are `questionsPerPeerMax` at once.

import type { Libp2p } from 'libp2p'
import type { PeerId } from '../../../network/network.ts'
import { FrameReader, frame } from '../frames.ts'
import type { Connection, Stream } from '../node.ts'
import { type ReachAnswer, type ReachQuestion, reachAnswer, reachQuestion } from './reach-messages.ts'

const protocolName = '/polyhistor/reach/1'
const messageBytesMax = 8 * 1024
const questionsPerPeerMax = 4
const questionMsMax = 5_000
export const answerMsMax = 15_000

/** Gives what to answer; what is not given is empty. */
type Answerer = (connection: Connection, question: ReachQuestion) => Promise<Partial<ReachAnswer>>

export function answerReach(
  node: Libp2p,
  isAdmitted: (peer: PeerId) => boolean,
  answer: Answerer,
): Promise<void> {
  const handle = async (stream: Stream, connection: Connection): Promise<void> => {
    try {
      if (!isAdmitted(connection.remotePeer.toString())) throw new Error('not admitted')
      const asked = await firstMessage(stream, AbortSignal.timeout(questionMsMax))
      const said = await answer(connection, reachQuestion.decode(asked))
      const seen = connection.remoteAddr.toString().slice(0, 255)
      stream.send(frame([reachAnswer.encode({ seen, ports: [], addresses: [], isDirect: false, ...said })]))
      await stream.close()
    } catch (error) {
      stream.abort(error as Error)
    }
  }
  return node.handle(protocolName, (stream, connection) => void handle(stream, connection), {
    maxInboundStreams: questionsPerPeerMax,
    maxOutboundStreams: questionsPerPeerMax,
    runOnLimitedConnection: true,
  })
}

export async function askReach(
  connection: Connection,
  question: ReachQuestion,
  signal: AbortSignal,
): Promise<ReachAnswer> {
  const both = AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)])
  const stream = await connection.newStream(protocolName, { signal: both, runOnLimitedConnection: true })
  try {
    const answer = firstMessage(stream, both)
    stream.send(frame([reachQuestion.encode(question)]))
    return reachAnswer.decode(await answer)
  } catch (error) {
    stream.abort(error as Error)
    throw error
  } finally {
    stream.close().catch(() => {})
  }
}

function firstMessage(stream: Stream, signal: AbortSignal): Promise<Uint8Array> {
  const reader = new FrameReader(messageBytesMax)
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  // Whoever cannot even ask does not wait for the answer.
  promise.catch(() => {})
  const fail = (): void => reject(signal.aborted ? signal.reason : new Error('the stream ended'))
  stream.addEventListener('message', ({ data }) => {
    try {
      for (const piece of data instanceof Uint8Array ? [data] : data) reader.add(piece)
      for (const message of reader.read()) resolve(message)
    } catch (error) {
      reject(error)
    }
  })
  stream.addEventListener('close', fail)
  signal.addEventListener('abort', fail, { once: true })
  if (signal.aborted) fail()
  return promise
}
