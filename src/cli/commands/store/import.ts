// `polyhistor import FILE…`: takes archives in, one after the other.

import { HomeProof } from '../../../app/proof/home-proof.ts'
import { realPlatform } from '../../../app/real-platform.ts'
import { MembershipFiles } from '../../../app/ring/membership-files.ts'
import type { ImportProgress, ImportResult, Store } from '../../../app/store/store-library.ts'
import { PolyhistorError } from '../../../errors.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { openInputFile } from '../../input/input-file.ts'
import { InputFileError } from '../../input/input-file-error.ts'
import { listenForInterruption } from '../../interruption.ts'
import { Progress } from '../../output/progress.ts'
import { namedPath } from '../../peer/named-path.ts'
import { PeerError } from '../../peer/peer-client.ts'
import { workThrough } from '../../peer/peer-work.ts'
import { withArchive } from '../../peer/running-peer.ts'
import { readWaczList } from '../../wacz-list.ts'

/** Problems shown of one file; the rest are counted. */
const problemsShown = 10
/** Missing files that are named. */
const namesShown = 20

export async function importFiles(
  context: Context,
  files: string[],
  options: { again?: boolean },
): Promise<ExitCode> {
  const interruption = listenForInterruption((sentence) => context.terminal.tell(sentence))
  try {
    const again = options.again === true
    const { signal } = interruption
    const importedBy = await new MembershipFiles(context.home.folder).peer()
    return await withArchive(context, {
      store: async (store) => {
        const proof = await HomeProof.open(
          { platform: realPlatform(), store, log: context.log },
          context.home.folder,
        )
        try {
          return await importAll(context, files, signal, (file, progress) =>
            importFile(store, file, { again, signal, progress, importedBy }),
          )
        } finally {
          await proof.close()
        }
      },
      peer: (peer) =>
        importAll(context, files, signal, async (file, progress) =>
          workThrough(
            peer,
            '/api/v1/imports',
            { ...(await namedPath(peer, file)), again },
            { signal, progress: shown(progress) },
          ),
        ),
    })
  } finally {
    interruption.release()
  }
}

async function importAll(
  context: Context,
  named: readonly string[],
  signal: AbortSignal,
  importOne: (file: string, progress: Progress) => Promise<ImportResult>,
): Promise<ExitCode> {
  const { files, hasMissing } = await listed(context, named)
  let hasFailed = hasMissing
  for (const file of files) {
    const progress = new Progress(context.terminal, `Importing ${file}`, context)
    try {
      const result = await importOne(file, progress)
      progress.end()
      hasFailed ||= result.problemCount > 0
      await report(context, file, result)
    } catch (error) {
      progress.end()
      if (signal.aborted) return exitCodes.interrupted
      if (!isOfFile(error)) throw error
      hasFailed = true
      const isNamed = error.message.includes(file)
      context.terminal.tell(`polyhistor: ${isNamed ? '' : `${file}: `}${error.message}`)
    }
  }
  return hasFailed ? exitCodes.no : exitCodes.ok
}

/** With the files of lists in place of those. */
async function listed(
  { terminal }: Context,
  named: readonly string[],
): Promise<{ files: readonly string[]; hasMissing: boolean }> {
  const files: string[] = []
  let hasMissing = false
  for (const file of named) {
    // What cannot be read is told when its turn comes.
    const list = await readWaczList(file).catch(() => undefined)
    files.push(...(list?.present ?? [file]))
    if (list === undefined || list.missing.length === 0) continue
    hasMissing = true
    const { present, missing } = list
    const names = missing.slice(0, namesShown).join(', ')
    const more = missing.length > namesShown ? ` and ${missing.length - namesShown} more` : ''
    terminal.tell(
      `polyhistor: ${file} lists ${present.length + missing.length} WACZ files, of which ${missing.length} do not lie next to it: ${names}${more}. Put them there, and import it again.`,
    )
  }
  return { files, hasMissing }
}

/** The next file may be all right. */
function isOfFile(error: unknown): error is Error {
  if (error instanceof InputFileError) return true
  if (error instanceof PeerError && error.code === 'disk-not-found') return true
  return error instanceof PolyhistorError && error.code === 'store-unknown-archive'
}

async function importFile(
  store: Store,
  file: string,
  {
    again,
    signal,
    progress,
    importedBy,
  }: { again: boolean; signal: AbortSignal; progress: Progress; importedBy: string },
): Promise<ImportResult> {
  const source = await openInputFile(file)
  try {
    return await store.import(source, { again, signal, importedBy, whenProgress: shown(progress) })
  } finally {
    await source.close()
  }
}

function shown(progress: Progress): (state: ImportProgress) => void {
  return (state) =>
    progress.show({
      done: state.doneBytes,
      total: state.totalBytes,
      detail: `${state.kept} kept, ${state.known} known`,
    })
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
    `${file}: ${records} records; ${kept} captures kept, ${known} known already, ${skipped} records passed over${reasonsOf(result)}, ${damaged} damaged.`,
  )
}

/** Why records were passed over: ` (3 warcinfo, 1 not-http)`. */
function reasonsOf({ skippedBy }: ImportResult): string {
  const reasons = Object.entries(skippedBy).map(([reason, count]) => `${count} ${reason}`)
  return reasons.length === 0 ? '' : ` (${reasons.join(', ')})`
}
