// `/api/v1/webhooks`: who is sent what watches see. For the owner alone. A secret is in the answer that makes it, and in no other.

import type { WebhookMessage } from '../../../changes/webhooks/webhook.ts'
import type { WebhookService, WebhookView, WrittenWebhook } from '../../../changes/webhooks/webhooks.ts'
import { jsonAnswer } from '../../answers.ts'
import { ApiError } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import type { RouteRequest } from '../../route-request.ts'
import { object, parameter } from '../operation.ts'
import { numberOf } from './watch-routes.ts'

const text = (description: string) => ({ type: 'string', description })
const settings = {
  url: text('Where messages are sent to, by POST.'),
  name: text('What lists call it.'),
  watches: {
    type: 'array',
    items: { type: 'string' },
    description: 'Ids of the watches that it is told of; all, also those to come, when there are none.',
  },
}
const moment = { type: ['string', 'null'], format: 'date-time' }
const webhookSchema = object({
  id: { type: 'string' },
  ...settings,
  paused: { type: 'boolean' },
  created: moment,
  taken: { ...moment, description: 'When it last took a message.' },
  trouble: { type: ['string', 'null'], description: 'Why the last attempt failed.' },
  waiting: { type: 'integer' },
  deadLetters: { type: 'integer' },
  dropped: { type: 'integer', description: 'Dead letters that were dropped for newer ones.' },
})
const secretSchema = object({ webhook: webhookSchema, secret: text('Shown this once: whsec_…') })
const letterSchema = object({
  id: text('The webhook-id of all its attempts.'),
  watch: { type: 'string' },
  created: moment,
  attempts: { type: 'integer' },
  trouble: { type: ['string', 'null'] },
  message: { type: 'object' },
})
const lettersDefault = 100
const lettersMax = 1_000

export function webhookRoutes({ webhooks }: { webhooks: WebhookService }): Route[] {
  const path = '/api/v1/webhooks'
  const shared = { host: 'archive', writes: true } as const
  const id = ({ parameters }: RouteRequest): string => parameters.id!
  const action = (
    word: string,
    summary: string,
    work: (id: string) => Promise<object>,
    answer: object,
  ): Route => ({
    ...shared,
    methods: ['POST'],
    path: `${path}/{id}/${word}`,
    operation: { summary, answer },
    handle: async (request) => jsonAnswer(await work(id(request))),
  })
  return [
    {
      ...shared,
      methods: ['GET'],
      path,
      operation: {
        summary: 'Who is sent what watches see. For its owner alone',
        answer: object({ webhooks: { type: 'array', items: webhookSchema } }),
      },
      handle: async () => jsonAnswer({ webhooks: webhooks.list().map(webhookJson) }),
    },
    {
      ...shared,
      methods: ['POST'],
      path,
      operation: {
        summary:
          'Sends what watches see to an address, signed by the secret in the answer, which is not shown again',
        body: { type: 'object', properties: settings },
        answer: secretSchema,
        status: 201,
      },
      handle: async (request) => {
        const { webhook, secret } = await webhooks.add(await request.jsonObject<WrittenWebhook>('{"url": …}'))
        return jsonAnswer({ webhook: webhookJson(webhook), secret }, 201)
      },
    },
    {
      ...shared,
      methods: ['PATCH'],
      path: `${path}/{id}`,
      operation: {
        summary: 'Changes what is named of it',
        body: { type: 'object', properties: settings },
        answer: webhookSchema,
      },
      handle: async (request) =>
        jsonAnswer(
          webhookJson(
            await webhooks.change(id(request), await request.jsonObject<WrittenWebhook>('{"url": …}')),
          ),
        ),
    },
    {
      ...shared,
      methods: ['DELETE'],
      path: `${path}/{id}`,
      operation: {
        summary: 'Sends nothing more to it; what waits and its dead letters are dropped',
        answer: object({ removed: { type: 'boolean' } }),
      },
      handle: async (request) => {
        await webhooks.remove(id(request))
        return jsonAnswer({ removed: true })
      },
    },
    action(
      'pause',
      'Sends nothing for now; messages wait',
      async (of) => webhookJson(await webhooks.setPaused(of, true)),
      webhookSchema,
    ),
    action(
      'resume',
      'Sends again, at once',
      async (of) => webhookJson(await webhooks.setPaused(of, false)),
      webhookSchema,
    ),
    action(
      'test',
      'Sends it a message that says nothing',
      async (of) => webhookJson(await webhooks.trial(of)),
      webhookSchema,
    ),
    action(
      'secret',
      'Makes a new secret, which is not shown again; the one before still signs for a day',
      async (of) => {
        const { webhook, secret } = await webhooks.renewSecret(of)
        return { webhook: webhookJson(webhook), secret }
      },
      secretSchema,
    ),
    {
      ...shared,
      methods: ['GET'],
      path: `${path}/{id}/dead-letters`,
      operation: {
        summary: 'Messages that were given up, newest first',
        query: [parameter('limit', `at most so many, up to ${lettersMax}`, { type: 'integer' })],
        answer: object({ deadLetters: { type: 'array', items: letterSchema } }),
      },
      handle: async (request) => {
        const limit = numberOf(request.query, 'limit', lettersDefault, lettersMax)
        return jsonAnswer({ deadLetters: webhooks.deadLetters(id(request), limit).map(letterJson) })
      },
    },
    {
      ...shared,
      methods: ['POST'],
      path: `${path}/{id}/resend`,
      operation: {
        summary: 'Sends dead letters again: all of them, or one',
        body: { type: 'object', properties: { message: text('The id of the one.') } },
        answer: object({ resent: { type: 'integer' } }),
      },
      handle: async (request) => {
        const { message } = (await request.jsonObject<WrittenWebhook>('{"url": …}')) as { message?: unknown }
        if (message !== undefined && typeof message !== 'string')
          throw new ApiError('request-bad-parameter', 'message must be the id of a dead letter.')
        return jsonAnswer({ resent: await webhooks.resend(id(request), message) })
      },
    },
  ]
}

export function webhookJson({
  isPaused,
  createdAtMs,
  takenAtMs,
  droppedCount,
  dead,
  trouble,
  ...rest
}: WebhookView): object {
  return {
    ...rest,
    trouble: trouble ?? null,
    paused: isPaused,
    created: new Date(createdAtMs).toISOString(),
    taken: takenAtMs === undefined ? null : new Date(takenAtMs).toISOString(),
    deadLetters: dead,
    dropped: droppedCount,
  }
}

export function letterJson({ id, watch, createdAtMs, attempts, trouble, body }: WebhookMessage): object {
  return {
    id,
    watch: watch === '' ? null : watch,
    created: new Date(createdAtMs).toISOString(),
    attempts,
    trouble: trouble ?? null,
    message: JSON.parse(body) as object,
  }
}
