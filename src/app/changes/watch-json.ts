// Watches and webhooks as commands print them: the same as the interfaces answer.

export { trialJson, watchJson, watchListJson } from '../../api/v1/changes/watch-routes.ts'
export { letterJson, webhookJson } from '../../api/v1/changes/webhook-routes.ts'
export type { WatchService } from '../../changes/watches/watches.ts'
export type { WebhookService } from '../../changes/webhooks/webhooks.ts'
