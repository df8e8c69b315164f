// `polyhistor network leave`: the running peer hands everything over, leaves its network for good, and stops.

import { PolyhistorError } from '../../errors.ts'
import { describeHomeNetwork } from '../../peer/ring/home-network.ts'
import type { LeavingState } from '../../peer/ring/leaving.ts'
import type { Context } from '../context.ts'
import { PeerError } from '../peer-client.ts'
import { PeerNotRunning } from '../ring-question.ts'
import { runningPeer } from '../running-peer.ts'
import { UsageError } from '../usage-error.ts'

const path = '/api/v1/network/leave'
const lookMs = 1_000
const looksMax = 60

class LeavingFailed extends PolyhistorError {
  constructor(message: string) {
    super('leaving-failed', message, { retry: 'later' })
  }
}

export async function leaveNetwork(context: Context): Promise<undefined> {
  const { terminal, isJson, home } = context
  if ((await describeHomeNetwork(home.folder)) === undefined)
    throw new UsageError('This home has no network to leave.')
  const peer = await runningPeer(context)
  if (peer === undefined) throw new PeerNotRunning(home.folder)
  let state = await peer.post<LeavingState>(path)
  terminal.tell('Handing over to the other peers; this takes as long as copying everything that is here.')
  while (state.state === 'ending' || state.state === 'handing-over') {
    await sleep(lookMs)
    state = await peer.get<LeavingState>(path).catch(doneWhenGone)
  }
  if (state.state === 'staying')
    throw new LeavingFailed(`The peer stays: ${state.problem ?? 'it was told to'}`)
  await untilAlone(home.folder)
  if (isJson) await terminal.printJson({ left: true })
  else await terminal.printLine('This home is alone from now on. Its archive is still here.')
  return undefined
}

/** When it is done it stops: then nobody answers. */
function doneWhenGone(error: unknown): LeavingState {
  if (error instanceof PeerError && error.code === 'peer-unreachable') return { state: 'done' }
  throw error
}

/** The peer forgets its network last of all. */
async function untilAlone(folder: string): Promise<void> {
  for (let looks = 0; looks < looksMax; looks++) {
    if ((await describeHomeNetwork(folder)) === undefined) return
    await sleep(lookMs)
  }
  throw new LeavingFailed('The peer stopped before it had left. Start it again, and try again.')
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
