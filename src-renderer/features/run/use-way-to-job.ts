import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { texts } from '../../components/texts.ts';

/**
 * Leads to a job that was made here. A large file takes a while to be sent: whoever has gone elsewhere meanwhile is not
 * taken from what they do there, but told what came of it, for here nobody reads it any more.
 */
export function useWayToJob() {
  const navigate = useNavigate();
  const here = useRef(false);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  return {
    made: (jobId: string): void => {
      if (here.current) void navigate({ to: '/jobs/$jobId', params: { jobId } });
      else notifications.show({ message: texts.run.acceptedMeanwhile });
    },
    refused: (error: Error): void => {
      if (!here.current) notifications.show({ color: 'red', message: error.message });
    },
  };
}
