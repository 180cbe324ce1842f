import { fileURLToPath } from 'node:url';
import { defineFeature, type ServerContext } from '../../feature.ts';
import { VERSION } from '../../platform/version.ts';
import {
  DOCUMENT_ROUTES,
  documentRoutes,
  OWNER_DOCUMENT_ROUTES,
  ownerDocumentRoutes,
  referenceRoutes,
} from './routes.ts';

/** The OpenAPI documents, and the reference that shows them. */
export const reference = defineFeature({
  name: 'reference',
  routes: { described: { public: DOCUMENT_ROUTES, owner: OWNER_DOCUMENT_ROUTES } },
  mountAtDoor: ({ server }) => [{ path: '/', routes: documentRoutes(describedBy(server)) }],
  mount: ({ server }) => {
    const described = describedBy(server);
    return [
      { path: '/admin', routes: ownerDocumentRoutes(described) },
      { path: '/', routes: referenceRoutes(described) },
    ];
  },
});

function describedBy({ operations, declared, origin, rendererFolder, resourcesFolder }: ServerContext) {
  const guidesFolder = fileURLToPath(new URL('reference/', resourcesFolder));
  return { operations, ...declared, version: VERSION, origin, guidesFolder, rendererFolder };
}
