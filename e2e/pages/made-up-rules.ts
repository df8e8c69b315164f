// Rules as a network would have them.

import type { ListedRule, RuleService } from '../../src/crawl/rules/rule-service.ts'

const set = {
  setAtMs: Date.parse('2026-03-01T09:30:00Z'),
  setBy: '12D3KooWMadeUpPeerOfTheTests',
  isInForce: true,
}

export class MadeUpRules implements RuleService {
  readonly isShared = true

  list(): ListedRule[] {
    return [
      { ...set, target: { kind: 'all' }, hours: { from: 1_320, to: 360 } },
      { ...set, target: { kind: 'host', host: 'www.paper.example' }, access: 'allow', priority: 'high' },
      {
        ...set,
        target: { kind: 'pattern', pattern: `/${'print|'.repeat(40)}/` },
        access: 'deny',
        isInForce: false,
      },
      {
        ...set,
        target: { kind: 'site', site: 'paper.example' },
        delayMs: 5_000,
        fresh: 'never',
        types: 'html',
      },
    ]
  }

  async change(): Promise<undefined> {}

  async remove(): Promise<boolean> {
    return true
  }
}
