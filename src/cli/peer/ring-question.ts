// Asks the running peer about the ring.

import { PolyhistorError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { runningPeer } from './running-peer.ts'

export class PeerNotRunning extends PolyhistorError {
  constructor(home: string) {
    super('peer-not-running', `No peer runs for ${home}. Start one with: polyhistor peer`, { retry: 'later' })
  }
}

export async function askPeer<T>(context: Context, path: string): Promise<T> {
  const peer = await runningPeer(context)
  if (peer === undefined) throw new PeerNotRunning(context.home.folder)
  return peer.get<T>(path)
}
