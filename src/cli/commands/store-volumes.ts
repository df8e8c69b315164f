// `polyhistor store volumes`: the folders that volumes lie in.

import type { Store } from '../../store-library.ts'
import type { Context } from '../context.ts'
import { listenForInterruption } from '../interruption.ts'
import { Progress } from '../progress.ts'
import { formatTable } from '../table.ts'
import { withStore } from '../with-store.ts'

interface Options {
  add?: string
  readOnly?: string
  writable?: string
  moveOff?: string
}

export async function manageVolumes(
  context: Context,
  _words: string[],
  options: Options,
): Promise<undefined> {
  await withStore(context, async (store) => {
    const { add, readOnly, writable, moveOff } = options
    if (add !== undefined) await store.volumes.setFolder(add, 'writable')
    if (readOnly !== undefined) await setKnownFolder(store, readOnly, 'read-only')
    if (writable !== undefined) await setKnownFolder(store, writable, 'writable')
    if (moveOff !== undefined) await moveOffFolder(context, store, moveOff)
    await showFolders(context, store)
  })
}

async function setKnownFolder(store: Store, folder: string, mode: 'read-only' | 'writable'): Promise<void> {
  store.volumes.folderNumber(folder) // Says so when there is no such folder: a typo must not add one.
  await store.volumes.setFolder(folder, mode)
}

async function moveOffFolder(context: Context, store: Store, folder: string): Promise<void> {
  const interruption = listenForInterruption((sentence) => context.terminal.tell(sentence))
  const progress = new Progress(context.terminal, 'Moving', context)
  try {
    await store.moveOff(folder, {
      progress: ({ doneBytes, totalBytes }) => progress.show({ done: doneBytes, total: totalBytes }),
      signal: interruption.signal,
    })
  } finally {
    progress.end()
    interruption.release()
  }
}

async function showFolders({ terminal, isJson }: Context, store: Store): Promise<void> {
  const { volumes } = await store.stat()
  const rows = [...store.volumes.folders().values()].map(({ path, mode }) => {
    const inside = volumes.filter((volume) => volume.path.startsWith(`${path}/`))
    const bytes = inside.reduce((sum, volume) => sum + volume.bytes, 0)
    return { folder: path, mode, volumes: inside.length, bytes }
  })
  if (isJson) for (const row of rows) await terminal.printJson(row)
  else {
    const cells = rows.map((row) => [row.folder, row.mode, String(row.volumes), String(row.bytes)])
    await terminal.printLine(formatTable(['folder', 'mode', 'volumes', 'bytes'], cells, terminal.width))
  }
}
