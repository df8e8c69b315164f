// `polyhistor network forget PEER`: the others no longer wait for a peer that will not come back.

import { describeHomeNetwork } from '../../../app/ring/home-network.ts'
import type { Context } from '../../context.ts'
import { PeerNotRunning } from '../../peer/ring-question.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

export async function forgetPeer(context: Context, [peer]: string[]): Promise<undefined> {
  const { terminal, isJson, home } = context
  if ((await describeHomeNetwork(home.folder)) === undefined)
    throw new UsageError('This home has no network, so nobody waits for anybody.')
  const running = await runningPeer(context)
  if (running === undefined) throw new PeerNotRunning(home.folder)
  // As the status prints it.
  const ending = peer!.replace(/^(…|\.\.\.)/, '')
  const forgotten = await running.post<{ peer: string }>('/api/v1/network/forget', { peer: ending })
  if (isJson) await terminal.printJson(forgotten)
  else
    await terminal.printLine(
      `Nobody waits for ${forgotten.peer} any more: what it kept is copied from the others. Should it come back, it counts again.`,
    )
  return undefined
}
