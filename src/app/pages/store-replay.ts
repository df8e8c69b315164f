// Reading: the archive as replay's source, and the files that replayed pages load from us.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { versionsOf } from '../../model/archive.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { programFile } from '../../platform/program-files.ts'
import { inPageFiles, inWorkerFiles } from '../../replay/own-files.ts'
import { type CaptureSource, type OwnFileSources, Replay, type ReplayOrigins } from '../../replay/replay.ts'

export interface ReadingOptions {
  readonly origins: ReplayOrigins
  /** For answers that were made lately; 64 MB unless told. */
  readonly cacheBytes?: number | undefined
}

export function openReplay(
  needs: { archive: ReadableArchive; ownFiles: OwnFileSources },
  options: ReadingOptions,
): Replay {
  return new Replay({ source: captureSource(needs.archive), ownFiles: needs.ownFiles }, options)
}

export function captureSource(archive: ReadableArchive): CaptureSource {
  return {
    versions: versionsOf(archive),
    read: (capture) => archive.read(capture),
    isTakenDown: (url) => archive.isTakenDown(url),
    revision: (url) => archive.revision(url),
  }
}

/** wombat from its package, ours from beside replay. */
export async function ownFileSources(): Promise<OwnFileSources> {
  const packageFile = createRequire(import.meta.url).resolve('@webrecorder/wombat/package.json')
  const wombatFolder = join(dirname(packageFile), 'dist')
  const inPageFolder = programFile('replay/in-page/')
  const allOurs = (files: readonly string[]) =>
    Promise.all(files.map((file) => readFile(new URL(file, inPageFolder), 'utf8')))
  const [wombat, wombatWorkers, inPage, inWorker] = await Promise.all([
    readFile(join(wombatFolder, 'wombat.js'), 'utf8'),
    readFile(join(wombatFolder, 'wombatWorkers.js'), 'utf8'),
    allOurs(inPageFiles),
    allOurs(inWorkerFiles),
  ])
  return { wombat, wombatWorkers, inPage, inWorker }
}
