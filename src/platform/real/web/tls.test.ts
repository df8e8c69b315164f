// Certificates: what cannot be verified is a failure that says why, or is taken and told.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { DnsServer } from '../fixtures/dns-server.ts'
import { type CertificateName, testAuthority, withHostileOrigin } from '../fixtures/hostile-origin.ts'
import { bodyOf, failureOf, responseTo, wideLimits, withWeb } from '../fixtures/test-web.ts'

const trusting = { authorities: [testAuthority] }

test('a certificate is checked against the name, the connection goes to the address', async () => {
  const here = ['127.0.0.1']
  const dns = await new DnsServer({ 'site.test': here, 'www.site.test': here, 'bad.test': here }).listen()
  try {
    await withHostileOrigin(
      (origin) =>
        withWeb(
          async ({ web }) => {
            for (const host of ['site.test', 'www.site.test', '127.0.0.1']) {
              const response = await responseTo(web, origin.url('ok', host))
              assert.deepEqual(response.protocols, ['http/1.1', 'tls/1.3'])
              assert.deepEqual([response.address, response.tlsProblem], ['127.0.0.1', undefined])
              assert.equal((await bodyOf(response)).toString(), 'hello')
            }
            // The certificate is good for the address, but that is not what was asked for.
            assert.equal((await failureOf(web, origin.url('ok', 'bad.test'))).code, 'tls-failed')
          },
          { ...trusting, names: { servers: [dns.server] } },
        ),
      'valid',
    )
  } finally {
    await dns.close()
  }
})

const problems: [CertificateName, RegExp][] = [
  ['self-signed', /^DEPTH_ZERO_SELF_SIGNED_CERT/],
  ['expired', /^CERT_HAS_EXPIRED/],
  ['other-name', /^ERR_TLS_CERT_ALTNAME_INVALID/],
]

test.each(problems)(
  '%s is a failure, unless the request is insecure: then it is told',
  (certificate, problem) =>
    withHostileOrigin(
      (origin) =>
        withWeb(async ({ web }) => {
          const failure = await failureOf(web, origin.url('ok'))
          assert.deepEqual([failure.code, failure.retry], ['tls-failed', 'never'])
          assert.match(failure.reason, problem)
          const response = await responseTo(web, origin.url('ok'), { insecure: true })
          assert.match(response.tlsProblem ?? '', problem)
          // The connection that was taken unverified serves no request that wants it verified.
          assert.equal((await failureOf(web, origin.url('ok'))).code, 'tls-failed')
          assert.equal(origin.requests.length, 1)
        }, trusting),
      certificate,
    ),
)

test('an authority that nobody knows is a failure', () =>
  withHostileOrigin(
    (origin) =>
      withWeb(async ({ web }) => {
        assert.equal((await failureOf(web, origin.url('ok'))).code, 'tls-failed')
      }),
    'valid',
  ))

test('a server that speaks no TLS, or is silent in it, is a failure', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      const url = origin.url('ok').replace('http:', 'https:')
      const limits = { ...wideLimits, connectMsMax: 200 }
      // It waits for an empty line that TLS does not have.
      assert.equal((await failureOf(web, url, { limits })).code, 'connect-timeout')
      await origin.deserted()
    }),
  ))
