// `polyhistor import FILE…`: takes archives in, one after the other.

import { resolve } from 'node:path'
import type { ImportProgress, ImportResult, Store } from '../../store-library.ts'
import { DiskError, type DiskFile } from '../../world/disk.ts'
import { RealDisk } from '../../world/real/disk.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { InputFileError } from '../input-file-error.ts'
import { listenForInterruption } from '../interruption.ts'
import { Progress } from '../progress.ts'
import { withStore } from '../with-store.ts'

/** Problems shown of one file; the rest are counted. */
const problemsShown = 10

export async function importFiles(
  context: Context,
  files: string[],
  options: { again?: boolean },
): Promise<ExitCode> {
  const { terminal } = context
  const interruption = listenForInterruption((sentence) => terminal.tell(sentence))
  try {
    return await withStore(context, async (store) => {
      let hasFailed = false
      for (const file of files) {
        try {
          const result = await importFile(context, store, file, { ...options, signal: interruption.signal })
          hasFailed ||= result.problemCount > 0
          await report(context, file, result)
        } catch (error) {
          if (interruption.signal.aborted) return exitCodes.interrupted
          if (!(error instanceof InputFileError)) throw error
          hasFailed = true
          terminal.tell(`polyhistor: ${error.message}`)
        }
      }
      return hasFailed ? exitCodes.no : exitCodes.ok
    })
  } finally {
    interruption.release()
  }
}

async function importFile(
  context: Context,
  store: Store,
  file: string,
  options: { again?: boolean; signal: AbortSignal },
): Promise<ImportResult> {
  const source = await openFile(file)
  const progress = new Progress(context.terminal, `Importing ${file}`, context)
  try {
    return await store.import(source, {
      ...options,
      whenProgress: (state: ImportProgress) =>
        progress.show({
          done: state.doneBytes,
          total: state.totalBytes,
          detail: `${state.kept} kept, ${state.known} known`,
        }),
    })
  } finally {
    progress.end()
    await source.close()
  }
}

async function openFile(file: string): Promise<DiskFile> {
  try {
    return await new RealDisk().open(resolve(file), 'read')
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
    throw new InputFileError(
      file,
      error.code === 'disk-not-found' ? 'there is no such file' : error.message,
      error,
    )
  }
}

async function report(
  { terminal, isJson, isQuiet }: Context,
  file: string,
  result: ImportResult,
): Promise<void> {
  if (isJson) return terminal.printJson({ file, ...result })
  for (const { offset, part, message } of result.problems.slice(0, problemsShown)) {
    terminal.tell(`${file}${part ? ` (${part})` : ''}, byte ${offset}: ${message}`)
  }
  if (result.problemCount > problemsShown)
    terminal.tell(`… and ${result.problemCount - problemsShown} more problems.`)
  if (isQuiet) return
  if (result.wasDone)
    return terminal.printLine(`${file}: imported before, nothing to do (--again reads it again).`)
  const { records, kept, known, skipped, damaged } = result
  await terminal.printLine(
    `${file}: ${records} records; ${kept} captures kept, ${known} known already, ${skipped} records passed over, ${damaged} damaged.`,
  )
}
