// `polyhistor network release`: which version of the program the network runs. Where the network was made, its key signs another.

import type { Release } from '../../../network/releases/release.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { askPeer, PeerNotRunning } from '../../peer/ring-question.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

const path = '/api/v1/network/release'

export async function nameRelease(context: Context, [version, integrity]: string[]): Promise<ExitCode> {
  const { terminal, isJson } = context
  if (version !== undefined && integrity === undefined)
    throw new UsageError(
      `Say the integrity of its package, too: npm view polyhistor@${version} dist.integrity prints it.`,
    )
  const release =
    version === undefined
      ? await askPeer<Release | null>(context, path)
      : await (await ownPeer(context)).post<Release>(path, { version, integrity })
  if (isJson) await terminal.printJson(release)
  else if (release === null) terminal.tell('No version was named in this network.')
  else await terminal.printLine(`${release.version} ${release.integrity}`)
  return release === null ? exitCodes.no : exitCodes.ok
}

async function ownPeer(context: Context) {
  const peer = await runningPeer(context)
  if (peer === undefined) throw new PeerNotRunning(context.home.folder)
  return peer
}
