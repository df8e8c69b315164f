// `polyhistor link`: a one-time link to the running peer, for its owner's browser; or an end to all that were given.

import { removeSecret } from '../../../app/http/peer-file.ts'
import type { Context } from '../../context.ts'
import { openInBrowser } from '../../open-in-browser.ts'
import { PeerNotRunning } from '../../peer/ring-question.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

const path = '/api/v1/links'

export async function ownerLink(
  context: Context,
  _words: string[],
  options: { open?: boolean; revoke?: boolean },
): Promise<undefined> {
  if (options.revoke) return revoke(context, options.open === true)
  const { terminal, isJson, home } = context
  const peer = await runningPeer(context)
  if (peer === undefined) throw new PeerNotRunning(home.folder)
  const link = await peer.post<{ url: string; expiresInMs: number }>(path)
  if (isJson) await terminal.printJson(link)
  else await terminal.printLine(link.url)
  if (options.open) await openInBrowser(context, link.url)
  return undefined
}

async function revoke(context: Context, isOpened: boolean): Promise<undefined> {
  const { terminal, home } = context
  if (isOpened) throw new UsageError('--revoke opens nothing: leave out --open.')
  const peer = await runningPeer(context)
  if (peer === undefined) await removeSecret(home.folder, 'browser-secret')
  else await peer.delete(path)
  terminal.tell('No browser has the owner’s rights any more. A new link is printed by: polyhistor link')
  return undefined
}
