// `polyhistor store volumes`: the folders that volumes lie in.

import { resolve } from 'node:path'
import type { Store } from '../../app/store/store-library.ts'
import { setVolumeFolder, type VolumeFolder, volumeFolders } from '../../app/store/volume-folders.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { formatTable } from '../output/table.ts'
import { inProgress, type Watch } from '../output/work-progress.ts'
import { namedPath } from '../peer/named-path.ts'
import type { PeerClient } from '../peer/peer-client.ts'
import { workThrough } from '../peer/peer-work.ts'
import { withArchive, withArchiveToRead } from '../peer/running-peer.ts'

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

async function manage(context: Context, options: Options, folders: Folders): Promise<ExitCode> {
  const { add, readOnly, writable, moveOff } = options
  if (add !== undefined) await folders.set(resolve(add), 'writable', true)
  if (readOnly !== undefined) await folders.set(resolve(readOnly), 'read-only', false)
  if (writable !== undefined) await folders.set(resolve(writable), 'writable', false)
  if (moveOff !== undefined) {
    const code = await inProgress(context, 'Moving', async (watch) => {
      await folders.moveOff(resolve(moveOff), watch)
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
  }
}

function foldersThrough(peer: PeerClient): Folders {
  return {
    list: async () => (await peer.get<{ folders: VolumeFolder[] }>('/api/v1/folders')).folders,
    set: async (path, mode, isNew) =>
      peer.post('/api/v1/folders', { ...(isNew ? await namedPath(peer, path) : { path }), mode, isNew }),
    moveOff: (folder, watch) => workThrough(peer, '/api/v1/upkeep', { task: 'move-off', folder }, watch),
  }
}

async function show({ terminal, isJson }: Context, rows: VolumeFolder[]): Promise<void> {
  if (isJson) for (const row of rows) await terminal.printJson(row)
  else {
    const cells = rows.map((row) => [row.folder, row.mode, String(row.volumes), String(row.bytes)])
    await terminal.printLine(formatTable(['folder', 'mode', 'volumes', 'bytes'], cells, terminal.width))
  }
}
