// The names by which a script reaches its window, its address and the windows around it. In a replayed page they must be
// wombat's stand-ins, which speak of the archived address instead of the archive's.

export const scopeNames = [
  'window',
  'globalThis',
  'self',
  'document',
  'location',
  'top',
  'parent',
  'frames',
  'opener',
] as const
export type ScopeName = (typeof scopeNames)[number]

const scopeNameSet = new Set<string>(scopeNames)

export function isScopeName(name: string): name is ScopeName {
  return scopeNameSet.has(name)
}

/** A script without any of these does nothing that needs rewriting. */
export const worthScanning =
  /\b(?:window|globalThis|self|document|location|top|parent|frames|opener|this|eval|import|export)\b/

/** wombat's, by name: what it looks for in scripts that were rewritten. */
export const assignFunction = '_____WB$wombat$assign$function_____'
export const checkThisFunction = '_____WB$wombat$check$this$function_____'

/**
 * Properties that every window has and that do not take just any value: as a `var` of the page such a name would be
 * that property. A `let` of one stays a `let`, seen by its own script only.
 */
export const windowProperties = new Set(
  (
    'name status length event screen history origin external closed performance navigator crypto scrollX scrollY ' +
    'innerWidth innerHeight outerWidth outerHeight screenX screenY screenLeft screenTop pageXOffset pageYOffset ' +
    'devicePixelRatio toolbar menubar scrollbars statusbar personalbar locationbar customElements visualViewport ' +
    'frameElement localStorage sessionStorage indexedDB caches isSecureContext crossOriginIsolated clientInformation'
  ).split(' '),
)
