// `polyhistor store volumes`: the folders and buckets that volumes lie in.

import { resolve } from 'node:path'
import type { Store, TransferReport } from '../../../app/store/store-library.ts'
import { setVolumeFolder, type VolumeFolder, volumeFolders } from '../../../app/store/volume-folders.ts'
import { isBucketAddress } from '../../../platform/storage/bucket.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { short } from '../../output/progress.ts'
import { formatTable } from '../../output/table.ts'
import { inProgress, type Watch } from '../../output/work-progress.ts'
import { namedPath } from '../../peer/named-path.ts'
import type { PeerClient } from '../../peer/peer-client.ts'
import { workThrough } from '../../peer/peer-work.ts'
import { withArchive, withArchiveToRead } from '../../peer/running-peer.ts'

interface Options {
  add?: string
  readOnly?: string
  writable?: string
  moveOff?: string
}

/** What can be asked of the folders, here or through the peer. */
interface Folders {
  list(): Promise<VolumeFolder[]>
  set(path: string, mode: VolumeFolder['mode'], isNew: boolean): Promise<unknown>
  moveOff(path: string, watch: Watch): Promise<unknown>
  moveVolumes(request: Move, watch: Watch): Promise<TransferReport>
}

interface Move {
  readonly to: string
  readonly from?: string | undefined
  readonly names?: readonly string[] | undefined
}

export async function manageVolumes(context: Context, _words: string[], options: Options): Promise<ExitCode> {
  const { add, readOnly, writable, moveOff } = options
  const isLook = [add, readOnly, writable, moveOff].every((request) => request === undefined)
  const through = isLook ? withArchiveToRead<ExitCode> : withArchive<ExitCode>
  return through(context, {
    store: (store) => manage(context, options, foldersOf(store)),
    peer: (peer) => manage(context, options, foldersThrough(peer)),
  })
}

export function addPlace(context: Context, [place]: string[]): Promise<ExitCode> {
  return manageVolumes(context, [], { add: place! })
}

export async function moveVolumes(
  context: Context,
  [to, ...names]: string[],
  options: { from?: string },
): Promise<ExitCode> {
  const request: Move = {
    to: placeOf(to!),
    ...(options.from !== undefined && { from: placeOf(options.from) }),
    ...(names.length > 0 && { names }),
  }
  return inProgress(context, 'Moving', async (watch) => {
    const report = await withArchive<TransferReport>(context, {
      store: (store) => foldersOf(store).moveVolumes(request, watch),
      peer: (peer) => foldersThrough(peer).moveVolumes(request, watch),
    })
    await tellMove(context, report)
    return report.left.length > 0 ? exitCodes.no : exitCodes.ok
  })
}

async function tellMove({ terminal, isJson }: Context, report: TransferReport): Promise<void> {
  if (isJson) return terminal.printJson(report)
  for (const { path, reason } of report.left) terminal.tell(`${path} stays where it is: ${reason}`)
  await terminal.printLine(`Moved ${report.volumes} volumes (${short(report.bytes)}).`)
}

function placeOf(place: string): string {
  return isBucketAddress(place) ? place : resolve(place)
}

async function manage(context: Context, options: Options, folders: Folders): Promise<ExitCode> {
  const { add, readOnly, writable, moveOff } = options
  if (add !== undefined) await folders.set(placeOf(add), 'writable', true)
  if (readOnly !== undefined) await folders.set(placeOf(readOnly), 'read-only', false)
  if (writable !== undefined) await folders.set(placeOf(writable), 'writable', false)
  if (moveOff !== undefined) {
    const code = await inProgress(context, 'Moving', async (watch) => {
      await folders.moveOff(placeOf(moveOff), watch)
      return exitCodes.ok
    })
    if (code !== exitCodes.ok) return code
  }
  await show(context, await folders.list())
  return exitCodes.ok
}

function foldersOf(store: Store): Folders {
  return {
    list: () => volumeFolders(store),
    set: (path, mode, isNew) => setVolumeFolder(store, path, mode, isNew),
    moveOff: (path, watch) => store.moveOff(path, watch),
    moveVolumes: ({ to, ...request }, watch) => store.moveVolumes(to, { ...request, ...watch }),
  }
}

function foldersThrough(peer: PeerClient): Folders {
  return {
    list: async () => (await peer.get<{ folders: VolumeFolder[] }>('/api/v1/folders')).folders,
    set: async (path, mode, isNew) =>
      peer.post('/api/v1/folders', { ...(isNew ? await namedPath(peer, path) : { path }), mode, isNew }),
    moveOff: (folder, watch) => workThrough(peer, '/api/v1/upkeep', { task: 'move-off', folder }, watch),
    moveVolumes: (request, watch) =>
      workThrough(peer, '/api/v1/upkeep', { task: 'move-volumes', ...request }, watch),
  }
}

async function show({ terminal, isJson }: Context, rows: VolumeFolder[]): Promise<void> {
  if (!isJson)
    for (const { folder, trouble } of rows)
      if (trouble !== undefined) terminal.tell(`${folder} cannot be asked: ${trouble}`)
  if (isJson) for (const row of rows) await terminal.printJson(row)
  else {
    const cells = rows.map((row) => [row.folder, row.mode, String(row.volumes), String(row.bytes)])
    await terminal.printLine(formatTable(['folder', 'mode', 'volumes', 'bytes'], cells, terminal.width))
  }
}
