import { useQuery } from '@tanstack/react-query';
import { useEnvironment } from '../../api/client.ts';
import type { OperationForm } from '../../api/operations.ts';
import { modelsQuery, voicesQuery } from '../../api/queries.ts';
import type { Suggestions } from './schema-field.tsx';

/** Fields that name an installed model, with its kind. */
const MODEL_FIELDS: Readonly<Record<string, string>> = { transcriptionModel: 'speech', model: 'text' };

/** Suggestions for fields. Other values are allowed, because the server knows more. */
export function useSuggestions({ schema }: OperationForm): Suggestions {
  const names = Object.entries(schema.properties ?? {}).flatMap(([name, { properties = {} }]) => [
    name,
    ...Object.keys(properties),
  ]);
  const modelField = names.find((name) => MODEL_FIELDS[name] !== undefined);
  const models = useQuery({ ...modelsQuery(), enabled: modelField !== undefined });
  const voices = useQuery({ ...voicesQuery(useEnvironment()), enabled: names.includes('voice') });
  const suggestions: Suggestions = {};
  if (voices.data !== undefined) {
    suggestions.voice = voices.data.map(({ slug, language, description }) => ({
      value: slug,
      about: `${language}. ${description}`,
    }));
  }
  if (modelField !== undefined && models.data !== undefined) {
    suggestions[modelField] = models.data.models
      .filter(({ kind, installed }) => installed && kind === MODEL_FIELDS[modelField])
      .map(({ name, title }) => ({ value: name, about: title === name ? '' : title }));
  }
  return suggestions;
}
