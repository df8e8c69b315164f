// `polyhistor store compact|scrub|rebuild`: upkeep, with a progress bar, stoppable at any moment.

import { bytes, share } from '../../configuration/kinds.ts'
import type { CompactReport, RebuildReport, ScrubReport } from '../../store-library.ts'
import { rebuildStoreIndex } from '../../store-library.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { listenForInterruption } from '../interruption.ts'
import { optionValue } from '../option-values.ts'
import { Progress, short } from '../progress.ts'
import { storeFolder, storeOptionsFrom, withStore } from '../with-store.ts'

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
  return inProgress(context, 'Compacting', (watch) =>
    withStore(context, async (store) => {
      const report = await store.compact({ deadShare, ...watch })
      await tellCompaction(context, report)
      return report.left.length > 0 ? exitCodes.no : exitCodes.ok
    }),
  )
}

export async function scrubStore(
  context: Context,
  _words: string[],
  options: { rate?: string; restart?: boolean },
): Promise<ExitCode> {
  const { values } = context.configuration
  const bytesPerSecond =
    options.rate === undefined ? values['store.scrubRate'] : optionValue(bytes, '--rate', options.rate)
  return inProgress(context, 'Scrubbing', (watch) =>
    withStore(context, async (store) => {
      const report = await store.scrub({ bytesPerSecond, restart: options.restart === true, ...watch })
      await tellScrub(context, report)
      return report.damagedCount + report.dangling + report.unindexed > report.repaired
        ? exitCodes.no
        : exitCodes.ok
    }),
  )
}

export async function rebuildStore(context: Context): Promise<ExitCode> {
  const { indexBytesMax, volumeBytesMax } = storeOptionsFrom(context.configuration.values)
  return inProgress(context, 'Rebuilding', async ({ signal, progress }) => {
    const report = await rebuildStoreIndex(storeFolder(context), {
      indexBytesMax,
      volumeBytesMax,
      signal,
      whenProgress: progress,
    })
    await tellRebuild(context, report)
    return report.damagedCount > 0 ? exitCodes.no : exitCodes.ok
  })
}

interface Watch {
  signal: AbortSignal
  progress: (state: { doneBytes: number; totalBytes: number }) => void
}

async function inProgress(
  { terminal, isQuiet }: Context,
  title: string,
  work: (watch: Watch) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interruption = listenForInterruption((sentence) => terminal.tell(sentence))
  const progress = new Progress(terminal, title, { isQuiet })
  try {
    return await work({
      signal: interruption.signal,
      progress: ({ doneBytes, totalBytes }) => progress.show({ done: doneBytes, total: totalBytes }),
    })
  } catch (error) {
    if (interruption.signal.aborted) return exitCodes.interrupted
    throw error
  } finally {
    progress.end()
    interruption.release()
  }
}

async function tellCompaction({ terminal, isJson }: Context, report: CompactReport): Promise<void> {
  if (isJson) return terminal.printJson(report)
  await terminal.printLine(`Rewrote ${report.volumes} volumes and freed ${short(report.freedBytes)}.`)
}

async function tellScrub({ terminal, isJson }: Context, report: ScrubReport): Promise<void> {
  if (isJson) return terminal.printJson(report)
  for (const { path, offset, what, reason } of report.damaged)
    terminal.tell(`${path}, byte ${offset}: ${what}: ${reason}`)
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
  if (report.oldIndex !== undefined) await terminal.printLine(`The old index is in ${report.oldIndex}.`)
}
