// `polyhistor network`: which network this home belongs to, a new one, invitations to it.

import {
  type CreatedNetwork,
  createHomeNetwork,
  describeHomeNetwork,
  inviteToHomeNetwork,
  usesMax,
} from '../../app/ring/home-network.ts'
import { duration, wholeNumber } from '../../config/kinds.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { preparePrivateHome } from '../home-folder.ts'
import { optionValue } from '../input/option-values.ts'
import { askPeer, PeerNotRunning } from '../peer/ring-question.ts'
import { UsageError } from '../usage-error.ts'

export async function showNetwork({ home, terminal, isJson }: Context): Promise<ExitCode> {
  const network = await describeHomeNetwork(home.folder)
  if (isJson) await terminal.printJson(network ?? null)
  else if (network === undefined) {
    terminal.tell('This home has no network. Make one with: polyhistor network create NAME')
  } else {
    await terminal.printLine(`${network.name} (${network.kind})`)
    await terminal.printLine(`network  ${network.id}\npeer     ${network.peer}`)
  }
  return network === undefined ? exitCodes.no : exitCodes.ok
}

export async function createNetwork(
  context: Context,
  [name]: string[],
  options: { open?: boolean },
): Promise<undefined> {
  const { home } = context
  const kind = options.open ? 'open' : 'invited'
  await preparePrivateHome(context)
  const created = await createHomeNetwork(home.folder, name!, kind)
  await tell(context, created)
  return undefined
}

export async function inviteOthers(
  context: Context,
  _words: string[],
  options: { expires?: string; uses?: string },
): Promise<undefined> {
  const { home } = context
  const expiresInMs =
    options.expires === undefined ? undefined : optionValue(duration, '--expires', options.expires)
  if (expiresInMs === 0) throw new UsageError('--expires must be longer than nothing.')
  const uses =
    options.uses === undefined ? undefined : optionValue(wholeNumber(1, usesMax), '--uses', options.uses)
  const addresses = await ownAddresses(context)
  await tell(context, await inviteToHomeNetwork(home.folder, { addresses, expiresInMs, uses }))
  return undefined
}

/** Where the running peer is reached; an invitation without it needs --join too. */
async function ownAddresses(context: Context): Promise<string[]> {
  try {
    const { addresses } = await askPeer<{ addresses?: string[] }>(context, '/api/v1/ring')
    return addresses ?? []
  } catch (error) {
    if (error instanceof PeerNotRunning) return []
    throw error
  }
}

async function tell({ terminal, isJson, isQuiet }: Context, created: CreatedNetwork): Promise<void> {
  if (isJson) return terminal.printJson(created)
  const { name, kind, id, invitation, addresses, expiresAt, uses } = created
  if (!isQuiet) {
    const who =
      uses === undefined ? 'Other homes join' : uses === 1 ? 'One home joins' : `Up to ${uses} homes join`
    terminal.tell(`Network ${name} (${kind}), ${id}. ${who} with:`)
    terminal.tell(`  polyhistor peer --invite INVITATION${addresses.length === 0 ? ' --join HOST:PORT' : ''}`)
    if (expiresAt !== undefined) terminal.tell(`until ${expiresAt}.`)
  }
  await terminal.printLine(invitation)
}
