import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { SimulatedRandom } from '../../platform/simulated/random.ts'
import { ApiError } from '../api-error.ts'
import { testRequest } from '../fixtures/test-api.ts'
import { RouteRequest } from '../route-request.ts'
import { ExtensionKeys } from './extension-keys.ts'
import { cookieName, OwnerCookie } from './owner-cookie.ts'
import { OwnerDoor } from './owner-door.ts'
import { linkLifeMs, OwnerLinks } from './owner-links.ts'

const host = 'localhost:7070'
const dayMs = 86_400_000

function door(archiveOrigin = `http://${host}`) {
  const time = { ms: 5_000 }
  const cookie = new OwnerCookie({ nowMs: () => time.ms }, 'a secret')
  const links = new OwnerLinks({ random: new SimulatedRandom(1), monotonicMs: () => time.ms })
  const keys = new ExtensionKeys({ nowMs: () => time.ms }, 'a secret')
  const checkToken = () => {
    throw new ApiError('token-missing', 'no token')
  }
  const newSecret = async () => 'another secret'
  const owner = new OwnerDoor({ cookie, links, keys, checkToken, archiveOrigin, newSecret })
  const asking = (headers: Record<string, string> = {}) => ({
    header: (name: string) => ({ host, ...headers })[name],
  })
  const code = () => owner.newLink().split('/').pop()!
  const pairOf = (header: string | undefined) => header!.split(';', 1)[0]!
  return { time, owner, keys, asking, code, pairOf }
}

describe('a one-time link', () => {
  test('makes one browser the owner’s, once', () => {
    const { owner, asking, pairOf } = door()
    const link = owner.newLink()
    assert.match(link, /^http:\/\/localhost:7070\/owner\/[\w-]{32}$/)
    const code = link.split('/').pop()!
    const cookie = owner.redeem(code, asking())
    assert.ok(owner.isOwner(asking({ cookie: `a=b; ${pairOf(cookie)}` })))
    assert.equal(owner.redeem(code, asking()), undefined)
  })

  test('is good for an hour, and made-up ones never', () => {
    const { owner, asking, code, time } = door()
    const [soon, late] = [code(), code()]
    time.ms += linkLifeMs - 1
    assert.ok(owner.redeem(soon, asking()))
    time.ms += 1
    assert.equal(owner.redeem(late, asking()), undefined)
    assert.equal(owner.redeem('x'.repeat(32), asking()), undefined)
  })

  test('that nobody uses gives way to newer ones', () => {
    const { owner, asking, code } = door()
    const first = code()
    const last = Array.from({ length: 1_000 }, code).pop()!
    assert.equal(owner.redeem(first, asking()), undefined)
    assert.ok(owner.redeem(last, asking()))
  })
})

describe('the cookie', () => {
  test('is out of reach for scripts and other sites, and Secure where the archive is', () => {
    const { owner, asking, code } = door()
    const cookie = owner.redeem(code(), asking())!
    assert.match(cookie, /; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
    const encrypted = door('https://archive.example')
    const behindProxy = encrypted.owner.redeem(encrypted.code(), asking({ host: 'archive.example' }))!
    assert.match(behindProxy, /; SameSite=Strict; Secure$/)
  })

  test('ends, by the server’s word, and by nobody else’s', () => {
    const { owner, asking, code, time, pairOf } = door()
    const cookie = pairOf(owner.redeem(code(), asking()))
    const later = cookie.replace(/=(\d+)/, (_, expiry) => `=${Number(expiry) + 1}`)
    assert.ok(!owner.isOwner(asking({ cookie: later })))
    time.ms += 179 * dayMs
    assert.ok(owner.isOwner(asking({ cookie })))
    time.ms += 2 * dayMs
    assert.ok(!owner.isOwner(asking({ cookie })))
    assert.ok(!owner.isOwner(asking({ cookie: `${cookieName}=` })))
  })

  test('is worth nothing after a revocation, nor are links given before', async () => {
    const { owner, asking, code, pairOf } = door()
    const cookie = pairOf(owner.redeem(code(), asking()))
    const unused = code()
    await owner.revoke()
    assert.ok(!owner.isOwner(asking({ cookie })))
    assert.equal(owner.redeem(unused, asking()), undefined)
    assert.ok(owner.isOwner(asking({ cookie: pairOf(owner.redeem(code(), asking())) })))
  })
})

describe('the key of an extension', () => {
  const keyRequest = async (owner: OwnerDoor, authorization: string) => {
    const route = owner.routes().find(({ path }) => path === '/extension-key')!
    const asked = testRequest('/extension-key', { method: 'POST', headers: { authorization } })
    return await route.handle(new RouteRequest(asked, 'archive', '', {}))
  }
  const keyFor = async (owner: OwnerDoor, code: string) => {
    const answer = await keyRequest(owner, `Link ${code}`)
    return (JSON.parse(answer.body as string) as { key: string }).key
  }

  test('is given for a one-time link, once, and ends after half a year', async () => {
    const { owner, keys, code, time } = door()
    const link = code()
    const key = await keyFor(owner, link)
    assert.ok(keys.isValid(key))
    await assert.rejects(keyRequest(owner, `Link ${link}`), { code: 'owner-link-spent' })
    await assert.rejects(keyRequest(owner, ''), { code: 'token-missing' })
    time.ms += 181 * dayMs
    assert.ok(!keys.isValid(key))
  })

  test('ends with the cookies when the owner revokes them, and is no cookie', async () => {
    const { owner, keys, asking, code } = door()
    const key = await keyFor(owner, code())
    assert.ok(!owner.isOwner(asking({ cookie: `${cookieName}=${key.slice(2)}` })))
    await owner.revoke()
    assert.ok(!keys.isValid(key))
  })

  test('cannot be made longer', async () => {
    const { owner, keys, code } = door()
    const key = await keyFor(owner, code())
    assert.ok(!keys.isValid(key.replace(/\d+/, (expiry) => String(Number(expiry) + 1))))
    assert.ok(!keys.isValid(''))
  })
})
