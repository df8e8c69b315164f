// Which peer a command talks to: the one of `--peer URL`, else the one that runs on the home, else none.

import { readPeerFile } from '../peer/peer-file.ts'
import type { Store } from '../store-library.ts'
import type { Context } from './context.ts'
import { PeerClient, PeerError } from './peer-client.ts'
import { withStore } from './with-store.ts'

/** One that was killed leaves its file behind: only who answers there, and knows its name, counts. */
export async function runningPeer(context: Context): Promise<PeerClient | undefined> {
  const file = await readPeerFile(context.home.folder)
  if (context.peerUrl !== undefined) {
    const token = context.token ?? (file?.url === context.peerUrl ? file.token : undefined)
    return new PeerClient(context.peerUrl, token)
  }
  if (file === undefined) return undefined
  const client = new PeerClient(file.url, file.token)
  try {
    const { instance } = await client.get<{ instance?: string }>('/api/v1')
    return instance === file.instance ? client : undefined
  } catch (error) {
    if (error instanceof PeerError) return undefined
    throw error
  }
}

/** Asks the peer where one runs, else the store. */
export async function withArchive<T>(
  context: Context,
  ways: { store: (store: Store) => Promise<T>; peer: (peer: PeerClient) => Promise<T> },
): Promise<T> {
  const peer = await runningPeer(context)
  return peer === undefined ? withStore(context, ways.store) : ways.peer(peer)
}
