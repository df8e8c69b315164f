// Opens a one-time link in the owner's browser.
//
// Not as an argument of the program that opens it: all users of the machine can read those in the process list, and the first
// one to open the link becomes the owner. The argument is a page in the home folder that only the owner can read, and that
// leads to the link.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { realPrivateFiles } from '../platform/real/private-files.ts'
import type { Context } from './context.ts'

const fileName = 'open.html'

export async function openInBrowser({ home, terminal }: Context, link: string): Promise<void> {
  const address = link.replace(/[^\w.:/[\]-]/g, encodeURIComponent)
  await realPrivateFiles.write(
    join(home.folder, fileName),
    `<!doctype html><meta charset="utf-8"><title>Polyhistor</title><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${address}"><a href="${address}">Open the archive</a>\n`,
  )
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(opener, [pathToFileURL(join(home.folder, fileName)).href], {
    detached: true,
    stdio: 'ignore',
  })
  const failed = () => terminal.tell('No browser could be opened. Open the link yourself.')
  child.once('error', failed)
  child.once('exit', (code) => {
    if (code !== 0) failed()
  })
  child.unref()
}
