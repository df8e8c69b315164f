// `polyhistor bridge postgres://…`: the archive's tables in a PostgreSQL, in step with the stream of changes of a running peer.
//
// When the peer or the database is away it waits and goes on where it was; with --once it ends when all is bridged.

import { PolyhistorError } from '../../../errors.ts'
import { backOffMs } from '../../../model/back-off.ts'
import { RealClock } from '../../../platform/real/clock.ts'
import { PostgresBridge } from '../../../platform/real/postgres/bridge-database.ts'
import { Bridge } from '../../../tables/bridge.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { listenForInterruption } from '../../interruption.ts'
import { PeerError } from '../../peer/peer-client.ts'
import { PeerStream } from '../../peer/peer-stream.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

const waits = { firstMs: 500, longestMs: 60_000 }

interface Options {
  once?: boolean
  schema?: string
}

export async function bridgeTables(
  context: Context,
  [address]: string[],
  options: Options,
): Promise<ExitCode> {
  if (!/^postgres(?:ql)?:\/\//.test(address!))
    throw new UsageError('Say where the database is: postgres://user:password@host:5432/name.')
  const peer = await runningPeer(context)
  if (peer === undefined)
    throw new PeerError(
      'peer-unreachable',
      'No peer runs on this home: start it (polyhistor peer), and say it again.',
      {
        retry: 'later',
      },
    )
  const interruption = listenForInterruption(() => context.terminal.tell('Stopping after this batch.'))
  const { signal } = interruption
  const clock = new RealClock()
  const database = new PostgresBridge(address!, options.schema)
  const bridge = new Bridge({ source: new PeerStream(peer), database, clock })
  const isFollowing = options.once !== true
  try {
    if (isFollowing) await runAgain(context, bridge, signal, clock)
    else await bridge.run({ isFollowing, signal })
    const { counts } = bridge
    if (context.isJson) await context.terminal.printJson(counts)
    else if (!context.isQuiet)
      await context.terminal.printLine(
        `${counts.events} events, ${counts.rows} rows in ${counts.batches} batches.`,
      )
    if (counts.gaps > 0)
      context.terminal.tell(
        'Some events were not kept any more: what they named is as it was when it was read last.',
      )
    return signal.aborted ? exitCodes.interrupted : exitCodes.ok
  } finally {
    interruption.release()
    await database.close()
  }
}

async function runAgain(
  context: Context,
  bridge: Bridge,
  signal: AbortSignal,
  clock: RealClock,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    const before = bridge.counts.batches
    try {
      await bridge.run({ isFollowing: true, signal })
    } catch (error) {
      if (!(error instanceof PolyhistorError) || error.retry !== 'later') throw error
      context.terminal.tell(`${error.message} Tried again by and by.`)
    }
    failures = bridge.counts.batches > before ? 1 : failures + 1
    await clock.sleep(backOffMs(waits, failures), signal).catch(() => {})
  }
}
