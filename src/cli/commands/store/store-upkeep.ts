// `polyhistor store compact|scrub|rebuild`: upkeep, with a progress bar, stoppable at any moment.

import { describeHomeNetwork } from '../../../app/ring/home-network.ts'
import type { CompactReport, RebuildReport, ScrubReport } from '../../../app/store/store-library.ts'
import { rebuildStoreIndex } from '../../../app/store/store-library.ts'
import { bytesFrom, share } from '../../../config/kinds.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { optionValue } from '../../input/option-values.ts'
import { short } from '../../output/progress.ts'
import { inProgress } from '../../output/work-progress.ts'
import { workThrough } from '../../peer/peer-work.ts'
import { withArchive } from '../../peer/running-peer.ts'
import { storeFolder, storeOptionsFrom } from '../../with-store.ts'

export async function compactStore(
  context: Context,
  _words: string[],
  options: { deadShare?: string },
): Promise<ExitCode> {
  const { values } = context.configuration
  const deadShare =
    options.deadShare === undefined
      ? values['store.deadShare']
      : optionValue(share, '--dead-share', options.deadShare)
  return inProgress(context, 'Compacting', async (watch) => {
    const report = await withArchive<CompactReport>(context, {
      store: (store) => store.compact({ deadShare, ...watch }),
      peer: (peer) => workThrough(peer, '/api/v1/upkeep', { task: 'compact', deadShare }, watch),
    })
    await tellCompaction(context, report)
    return report.left.length > 0 ? exitCodes.no : exitCodes.ok
  })
}

export async function scrubStore(
  context: Context,
  _words: string[],
  options: { rate?: string; restart?: boolean },
): Promise<ExitCode> {
  const { values } = context.configuration
  const bytesPerSecond =
    options.rate === undefined
      ? values['store.scrubRate']
      : optionValue(bytesFrom(1_000, '20MB'), '--rate', options.rate)
  const request = { bytesPerSecond, restart: options.restart === true }
  return inProgress(context, 'Scrubbing', async (watch) => {
    const report = await withArchive<ScrubReport>(context, {
      store: (store) => store.scrub({ ...request, ...watch }),
      peer: (peer) => workThrough(peer, '/api/v1/upkeep', { task: 'scrub', ...request }, watch),
    })
    await tellScrub(context, report)
    const isSound = report.damagedCount + report.dangling + report.unindexed <= report.repaired
    return isSound ? exitCodes.ok : exitCodes.no
  })
}

export async function rebuildStore(
  context: Context,
  _words: string[],
  { from }: { from?: string[] },
): Promise<ExitCode> {
  const { indexBytesMax, volumeBytesMax } = storeOptionsFrom(context.configuration.values)
  return inProgress(context, 'Rebuilding', async ({ signal, progress }) => {
    const report = await rebuildStoreIndex(storeFolder(context), {
      indexBytesMax,
      volumeBytesMax,
      folders: from,
      // Other peers of a network have them where they were.
      refilesRequests: (await describeHomeNetwork(context.home.folder)) === undefined,
      signal,
      whenProgress: progress,
    })
    await tellRebuild(context, report)
    return report.damagedCount + report.missing > 0 ? exitCodes.no : exitCodes.ok
  })
}

async function tellCompaction({ terminal, isJson }: Context, report: CompactReport): Promise<void> {
  if (isJson) return terminal.printJson(report)
  for (const { path, reason } of report.left) terminal.tell(`${path} was left: ${reason}.`)
  await terminal.printLine(`Rewrote ${report.volumes} volumes and freed ${short(report.freedBytes)}.`)
}

async function tellScrub({ terminal, isJson }: Context, report: ScrubReport): Promise<void> {
  if (isJson) return terminal.printJson(report)
  for (const { path, offset, what, reason } of report.damaged)
    terminal.tell(`${path}, byte ${offset}: ${what}: ${reason}`)
  if (report.dangling > 0)
    terminal.tell(
      `${report.dangling} entries of the index lead nowhere, or stand where nobody finds them. Make it anew with: polyhistor store rebuild`,
    )
  await terminal.printLine(
    `Checked ${report.records} records in ${report.volumes} volumes (${short(report.bytes)}): ${report.damagedCount} damaged, ${report.repaired} repaired.`,
  )
}

async function tellRebuild({ terminal, isJson }: Context, report: RebuildReport): Promise<void> {
  if (isJson) return terminal.printJson(report)
  for (const { path, offset, message } of report.damaged) terminal.tell(`${path}, byte ${offset}: ${message}`)
  await terminal.printLine(
    `Rebuilt the index from ${report.volumes} volumes: ${report.captures} captures, ${report.damagedCount} damaged stretches.`,
  )
  if (report.refiled > 0)
    await terminal.printLine(
      `${report.refiled} answers to what was sent (POST and the like) were filed as pages by an earlier version, and are found by what was sent now.`,
    )
  if (report.missing > 0)
    terminal.tell(
      `${report.missing} captures that the old index knew are in no volume: look for a lost disk.`,
    )
  if (report.oldIndex !== undefined) await terminal.printLine(`The old index is in ${report.oldIndex}.`)
}
