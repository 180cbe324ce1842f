interface Route {
  method: string;
  path: string;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The methods that have a route at this path; middleware, which takes any method, does not count. */
export function allowedMethods(routes: readonly Route[], path: string): string[] {
  const found = new Set<string>();
  for (const route of routes) {
    if (!METHODS.includes(route.method) || route.path.includes('*') || !matches(route.path, path)) continue;
    found.add(route.method);
    if (route.method === 'GET') found.add('HEAD');
  }
  return METHODS.filter((method) => found.has(method));
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const takesRest = wanted.at(-1)?.endsWith('{.+}') === true;
  if (takesRest ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]));
}
