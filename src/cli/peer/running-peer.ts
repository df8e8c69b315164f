// Which peer a command talks to: the one of `--peer URL`, else the one that runs on the home, else none.

import { type PeerFile, readPeerFile } from '../../app/http/peer-file.ts'
import type { Store } from '../../app/store/store-library.ts'
import type { Context } from '../context.ts'
import { withStore, withStoreToRead } from '../with-store.ts'
import { PeerClient, PeerError } from './peer-client.ts'

/** A busy one takes a while to say that it is there. */
const answerMsMax = 15_000

/** One that was killed leaves its file behind: only who answers there, and knows its name, counts. */
export async function runningPeer(context: Context, answerMs = answerMsMax): Promise<PeerClient | undefined> {
  const file = await readPeerFile(context.home.folder)
  if (context.peerUrl !== undefined) {
    const own = file?.url === context.peerUrl ? file : undefined
    return new PeerClient(context.peerUrl, context.token ?? own?.token, own && context.home.folder)
  }
  if (file === undefined) return undefined
  const client = new PeerClient(file.url, file.token, context.home.folder)
  const signal = AbortSignal.timeout(answerMs)
  try {
    const answer = await client.open('/api/v1', {}, { signal })
    const { instance } = (await answer.json()) as { instance?: string }
    return instance === file.instance ? client : undefined
  } catch (error) {
    if (signal.aborted) throw silent(file)
    if (error instanceof PeerError) return undefined
    throw error
  }
}

function silent({ url, pid }: PeerFile): PeerError {
  return new PeerError(
    'peer-unreachable',
    `The peer of this home (process ${pid}) does not answer at ${url}. It may be stopped or very busy: try again, or end it.`,
    { retry: 'later' },
  )
}

interface Ways<T> {
  store: (store: Store) => Promise<T>
  peer: (peer: PeerClient) => Promise<T>
}

/** Asks the peer where one runs, else the store. */
export async function withArchive<T>(context: Context, ways: Ways<T>): Promise<T> {
  const peer = await runningPeer(context)
  return peer === undefined ? withStore(context, ways.store) : ways.peer(peer)
}

/** The same for looking at what is there, which can be done on a disk that is full or read-only. */
export async function withArchiveToRead<T>(context: Context, ways: Ways<T>): Promise<T> {
  const peer = await runningPeer(context)
  return peer === undefined ? withStoreToRead(context, ways.store) : ways.peer(peer)
}
