// The home folder is its owner's alone: made so, and made so again when it was opened to others.

import { chmod, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isHome } from '../app/home-mark.ts'
import { makeFolder } from '../platform/real/disk/folder-making.ts'
import type { Context } from './context.ts'

const privateMode = 0o700
const othersBits = 0o077

export async function preparePrivateHome({
  home,
  terminal,
}: Pick<Context, 'home' | 'terminal'>): Promise<void> {
  const { folder } = home
  const info = await stat(folder).catch(() => undefined)
  if (info === undefined) {
    await makeFolder(dirname(folder))
    await makeFolder(folder, privateMode)
    return
  }
  if (!info.isDirectory() || (info.mode & othersBits) === 0) return
  if ((await isHome(folder)) && (await chmod(folder, privateMode).then(isDone, isNotDone))) {
    terminal.tell(`${folder} could be read by others. From now on only its owner can.`)
  } else {
    terminal.tell(
      `Others can look into ${folder}: what is kept there is not private. Choose another home, or run: chmod 700 ${folder}`,
    )
  }
}

const isDone = () => true
const isNotDone = () => false
