// `polyhistor webhooks`: who is sent what watches see. Secrets are printed once, when they are made.

import { withWatches } from '../../../app/changes/open-watches.ts'
import { letterJson, type WebhookService, webhookJson } from '../../../app/changes/watch-json.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { formatTable, minute } from '../../output/table.ts'
import type { PeerClient } from '../../peer/peer-client.ts'
import { withArchive, withArchiveToRead } from '../../peer/running-peer.ts'

interface Options {
  url?: string
  watch?: string[]
  all?: boolean
  name?: string
}

interface Shown {
  readonly id: string
  readonly url: string
  readonly name: string
  readonly watches: readonly string[]
  readonly paused: boolean
  readonly taken: string | null
  readonly trouble: string | null
  readonly waiting: number
  readonly deadLetters: number
}

interface ShownLetter {
  readonly id: string
  readonly created: string
  readonly attempts: number
  readonly trouble: string | null
  readonly message: { readonly type: string; readonly data: { readonly url?: string } }
}

const path = '/api/v1/webhooks'

export async function listWebhooks(context: Context): Promise<ExitCode> {
  const { webhooks } = await withArchiveToRead<{ webhooks: Shown[] }>(context, {
    store: (store) =>
      withWatches(context.home.folder, store, async (parts) => ({
        webhooks: parts.webhooks.list().map(webhookJson) as Shown[],
      })),
    peer: (peer) => peer.get(path),
  })
  const { terminal } = context
  if (context.isJson) await terminal.printJson({ webhooks })
  else if (webhooks.length === 0)
    await terminal.printLine('Nobody is sent anything. Begin with: polyhistor webhooks add URL')
  else {
    const rows = webhooks.map(({ id, url, name, watches, paused, taken, trouble, waiting, deadLetters }) => [
      id.slice(0, 8),
      name === '' ? url : `${name} (${url})`,
      watches.length === 0 ? 'all watches' : `${watches.length} watches`,
      `${waiting} waiting, ${deadLetters} given up`,
      paused ? 'paused' : (trouble ?? (taken === null ? 'nothing sent yet' : `last ${minute(taken)}`)),
    ])
    await terminal.printLine(formatTable(['webhook', 'to', 'of', 'messages', 'state'], rows, terminal.width))
  }
  return exitCodes.ok
}

export async function addWebhook(
  context: Context,
  [url]: string[],
  { watch, name }: Options,
): Promise<ExitCode> {
  const written = { url, ...(watch && { watches: watch }), ...(name !== undefined && { name }) }
  const made = await said<{ webhook: Shown; secret: string }>(
    context,
    async (webhooks) => {
      const { webhook, secret } = await webhooks.add(written)
      return { webhook: webhookJson(webhook), secret }
    },
    (peer) => peer.post(path, written),
  )
  return showSecret(context, made)
}

export async function changeWebhook(context: Context, [id]: string[], options: Options): Promise<ExitCode> {
  const { url, watch, all, name } = options
  const written = {
    ...(url !== undefined && { url }),
    ...(name !== undefined && { name }),
    ...(all ? { watches: [] } : watch && { watches: watch }),
  }
  const webhook = await said(
    context,
    async (webhooks) => webhookJson(await webhooks.change(id!, written)),
    (peer) => peer.patch(pathOf(id!), written),
  )
  if (context.isJson) await context.terminal.printJson(webhook)
  else context.terminal.tell(`Changed webhook ${id}.`)
  return exitCodes.ok
}

export async function renewSecret(context: Context, [id]: string[]): Promise<ExitCode> {
  const made = await said<{ webhook: Shown; secret: string }>(
    context,
    async (webhooks) => {
      const { webhook, secret } = await webhooks.renewSecret(id!)
      return { webhook: webhookJson(webhook), secret }
    },
    (peer) => peer.post(`${pathOf(id!)}/secret`),
  )
  return showSecret(context, made)
}

export function testWebhook(context: Context, [id]: string[]): Promise<ExitCode> {
  return act(
    context,
    `A message on trial is sent by webhook ${id}: polyhistor webhooks list says what became of it.`,
    (webhooks) => webhooks.trial(id!),
    (peer) => peer.post(`${pathOf(id!)}/test`),
  )
}

export function pauseWebhook(context: Context, [id]: string[]): Promise<ExitCode> {
  return act(
    context,
    `Paused webhook ${id}.`,
    (webhooks) => webhooks.setPaused(id!, true),
    (peer) => peer.post(`${pathOf(id!)}/pause`),
  )
}

export function resumeWebhook(context: Context, [id]: string[]): Promise<ExitCode> {
  return act(
    context,
    `Resumed webhook ${id}.`,
    (webhooks) => webhooks.setPaused(id!, false),
    (peer) => peer.post(`${pathOf(id!)}/resume`),
  )
}

export function removeWebhook(context: Context, [id]: string[]): Promise<ExitCode> {
  return act(
    context,
    `Removed webhook ${id}.`,
    (webhooks) => webhooks.remove(id!),
    (peer) => peer.delete(pathOf(id!)),
  )
}

export async function listDeadLetters(
  context: Context,
  [id]: string[],
  { limit }: { limit: number },
): Promise<ExitCode> {
  const { deadLetters } = await withArchiveToRead<{ deadLetters: ShownLetter[] }>(context, {
    store: (store) =>
      withWatches(context.home.folder, store, async ({ webhooks }) => ({
        deadLetters: webhooks.deadLetters(id!, limit).map(letterJson) as ShownLetter[],
      })),
    peer: (peer) => peer.get(`${pathOf(id!)}/dead-letters`, { limit: String(limit) }),
  })
  const { terminal } = context
  if (context.isJson) await terminal.printJson({ deadLetters })
  else if (deadLetters.length === 0) await terminal.printLine('No message was given up.')
  else {
    const rows = deadLetters.map(({ id: message, created, attempts, trouble, message: { type, data } }) => [
      message,
      minute(created),
      type,
      data.url ?? '',
      `${attempts} attempts: ${trouble ?? ''}`,
    ])
    await terminal.printLine(formatTable(['message', 'made', 'type', 'of', 'why'], rows, terminal.width))
  }
  return exitCodes.ok
}

export async function resendDeadLetters(context: Context, [id, message]: string[]): Promise<ExitCode> {
  const { resent } = await said<{ resent: number }>(
    context,
    async (webhooks) => ({ resent: await webhooks.resend(id!, message) }),
    (peer) => peer.post(`${pathOf(id!)}/resend`, message === undefined ? {} : { message }),
  )
  if (context.isJson) await context.terminal.printJson({ resent })
  else
    await context.terminal.printLine(
      resent === 1 ? 'One message is sent again.' : `${resent} messages are sent again.`,
    )
  return exitCodes.ok
}

async function showSecret(
  { isJson, terminal }: Context,
  made: { webhook: Shown; secret: string },
): Promise<ExitCode> {
  if (isJson) await terminal.printJson(made)
  else {
    await terminal.printLine(`Webhook ${made.webhook.id}: ${made.webhook.url}`)
    await terminal.printLine(`Secret  ${made.secret}`)
    terminal.tell(
      'The secret is not shown again. Whoever receives the messages checks their signatures with it.',
    )
  }
  return exitCodes.ok
}

async function act(
  context: Context,
  done: string,
  store: (webhooks: WebhookService) => Promise<unknown>,
  peer: (peer: PeerClient) => Promise<unknown>,
): Promise<ExitCode> {
  await said(context, (webhooks) => store(webhooks).then(() => ({})), peer)
  if (context.isJson) await context.terminal.printJson({ ok: true })
  else context.terminal.tell(done)
  return exitCodes.ok
}

function said<T extends object>(
  context: Context,
  store: (webhooks: WebhookService) => Promise<object>,
  peer: (peer: PeerClient) => Promise<unknown>,
): Promise<T> {
  return withArchive<T>(context, {
    store: (opened) =>
      withWatches(context.home.folder, opened, ({ webhooks }) => store(webhooks)) as Promise<T>,
    peer: (client) => peer(client) as Promise<T>,
  })
}

function pathOf(id: string): string {
  return `${path}/${encodeURIComponent(id)}`
}
