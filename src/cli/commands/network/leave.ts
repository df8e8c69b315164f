// `polyhistor network leave`: the running peer hands everything over, leaves its network for good, and stops.
//
// Ctrl-C has it stay. A command that is ended otherwise leaves it to the peer, and the next one watches on.

import { describeHomeNetwork } from '../../../app/ring/home-network.ts'
import type { HandedOver, LeavingState } from '../../../app/ring/leaving.ts'
import { PolyhistorError } from '../../../errors.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { listenForInterruption } from '../../interruption.ts'
import { Progress, short } from '../../output/progress.ts'
import { type PeerClient, PeerError } from '../../peer/peer-client.ts'
import { PeerNotRunning } from '../../peer/ring-question.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

const path = '/api/v1/network/leave'
const lookMs = 500
const looksMax = 120

class LeavingFailed extends PolyhistorError {
  constructor(message: string) {
    super('leaving-failed', message, { retry: 'later' })
  }
}

export async function leaveNetwork(context: Context): Promise<ExitCode> {
  const { terminal, isJson, home } = context
  if ((await describeHomeNetwork(home.folder)) === undefined)
    throw new UsageError('This home has no network to leave.')
  const peer = await runningPeer(context)
  if (peer === undefined) throw new PeerNotRunning(home.folder)
  const { state, wasStopped } = await watchLeaving(context, peer)
  const { problem, handedOver } = state
  if (state.state === 'staying') {
    if (!wasStopped) throw new LeavingFailed(`The peer stays: ${problem ?? 'it was told to'}`)
    if (isJson) await terminal.printJson({ left: false, ...handedOver })
    else terminal.tell(`The peer stays. ${handedOver === undefined ? '' : handedOverText(handedOver)}`.trim())
    return exitCodes.interrupted
  }
  await untilAlone(home.folder)
  if (isJson) await terminal.printJson({ left: true, ...handedOver })
  else
    await terminal.printLine(
      `${handedOver === undefined ? '' : `${handedOverText(handedOver)} `}This home is alone from now on. Its archive is still here.`,
    )
  return exitCodes.ok
}

async function watchLeaving(
  { terminal, isQuiet }: Context,
  peer: PeerClient,
): Promise<{ state: LeavingState; wasStopped: boolean }> {
  const interruption = listenForInterruption((sentence) => terminal.tell(sentence))
  const progress = new Progress(terminal, 'Handing over', { isQuiet, unit: 'entries' })
  try {
    let state = await peer.post<LeavingState>(path)
    terminal.tell(
      'Handing over to the other peers what they lack of all that is here. Ctrl-C has the peer stay.',
    )
    while (state.state === 'ending' || state.state === 'handing-over') {
      await sleep(lookMs)
      // Again and again until it has stopped: what it is doing now may be just before its end.
      if (interruption.signal.aborted) await peer.delete<LeavingState>(path).catch(doneWhenGone(state))
      state = await peer.get<LeavingState>(path).catch(doneWhenGone(state))
      const { handedOver } = state
      if (handedOver !== undefined)
        progress.show({ done: handedOver.done, total: handedOver.entries, detail: sentText(handedOver) })
    }
    return { state, wasStopped: interruption.signal.aborted }
  } finally {
    progress.end()
    interruption.release()
  }
}

function handedOverText(handedOver: HandedOver): string {
  const { entries, done, leftBytes } = handedOver
  const left = done < entries ? `, ${entries - done} (about ${short(leftBytes)}) are left` : ''
  return `${done} of ${entries} entries are with the others${left}; ${sentText(handedOver)}.`
}

function sentText({ sentBytes, peers }: HandedOver): string {
  const to = peers.map(({ peer, entries }) => `${entries} to …${peer.slice(-8)}`).join(', ')
  return `${short(sentBytes)} sent${to === '' ? '' : `: ${to}`}`
}

/** It stops when it is done, and nobody answers any more. Whether that was why is seen from its home. */
function doneWhenGone({ handedOver }: LeavingState): (error: unknown) => LeavingState {
  return (error) => {
    if (!(error instanceof PeerError) || error.code !== 'peer-unreachable') throw error
    return {
      state: 'done',
      handedOver: handedOver && { ...handedOver, done: handedOver.entries, leftBytes: 0 },
    }
  }
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
